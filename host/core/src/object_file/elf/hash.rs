//! The two kinds of hash tables by which the loader finds symbols. Both are computed again and compared.

use object::elf::{gnu_hash, hash};

use super::super::ObjectError;
use super::Image;
use super::bytes::Reader;
use super::symbols::Symbol;

pub(super) fn check(image: &Image<'_>, symbols: &[Symbol<'_>]) -> Result<(), ObjectError> {
    if let Some(section) = image.find(".gnu.hash") {
        let table = GnuTable::parse(image.contents(section)?);
        let table = table.ok_or_else(|| ObjectError::table("`.gnu.hash`", "is shorter than it says"))?;
        table.check(symbols).map_err(|message| ObjectError::table("`.gnu.hash`", message))?;
    }
    if let Some(section) = image.find(".hash") {
        check_old(image.contents(section)?, symbols)
            .map_err(|message| ObjectError::table("`.hash`", message))?;
    }
    Ok(())
}

struct GnuTable<'a> {
    first: u32,
    shift: u32,
    bloom: &'a [[u8; 8]],
    buckets: &'a [[u8; 4]],
    chains: &'a [[u8; 4]],
}

impl<'a> GnuTable<'a> {
    fn parse(contents: &'a [u8]) -> Option<Self> {
        let mut r = Reader(contents);
        let (buckets, first, bloom, shift) = (r.u32()?, r.u32()?, r.u32()?, r.u32()?);
        let (bloom, rest) = r.0.split_at_checked(usize::try_from(bloom).ok()?.checked_mul(8)?)?;
        let (buckets, chains) = rest.split_at_checked(usize::try_from(buckets).ok()?.checked_mul(4)?)?;
        let (chains, left) = chains.as_chunks();
        left.is_empty().then_some(Self {
            first,
            shift,
            bloom: bloom.as_chunks().0,
            buckets: buckets.as_chunks().0,
            chains,
        })
    }

    fn check(&self, symbols: &[Symbol<'_>]) -> Result<(), &'static str> {
        let first = self.first as usize;
        let (unhashed, hashed) = symbols.split_at_checked(first).ok_or("begins behind the last symbol")?;
        if first == 0 || unhashed.iter().any(Symbol::is_exported) {
            return Err("begins behind an exported symbol");
        }
        if hashed.len() != self.chains.len() || self.buckets.is_empty() {
            return Err("does not have a chain entry for each symbol");
        }
        if !self.bloom.len().is_power_of_two() || self.shift >= 32 {
            return Err("has a filter of an impossible size");
        }
        let (bucket_count, bloom_mask) = (self.buckets.len(), self.bloom.len() - 1);
        let mut bloom = vec![0_u64; self.bloom.len()];
        let mut buckets = vec![0_u32; bucket_count];
        let bucket_of = |hash: u32| hash as usize % bucket_count;
        let mut previous: Option<(usize, u32)> = None;
        for (number, (symbol, chain)) in hashed.iter().zip(self.chains).enumerate() {
            let (hash, chain) = (gnu_hash(symbol.name), u32::from_le_bytes(*chain));
            if hash | 1 != chain | 1 {
                return Err("has a chain entry that is not the hash of its symbol");
            }
            let bucket = bucket_of(hash);
            let word = (hash as usize / 64) & bloom_mask;
            if let Some(word) = bloom.get_mut(word) {
                *word |= 1 << (hash % 64) | 1 << ((hash >> self.shift) % 64);
            }
            let same = previous.is_some_and(|(last, _)| last == bucket);
            if previous.is_some_and(|(_, chain)| same == (chain & 1 == 1)) {
                return Err("has a chain that ends in the wrong place");
            }
            if !same && let Some(start) = buckets.get_mut(bucket) {
                if *start != 0 {
                    return Err("has a bucket whose symbols do not stand together");
                }
                *start = self.first.saturating_add(u32::try_from(number).unwrap_or(u32::MAX));
            }
            previous = Some((bucket, chain));
        }
        if previous.is_some_and(|(_, chain)| chain & 1 == 0) {
            return Err("has a last chain without an end");
        }
        if !buckets.iter().zip(self.buckets).all(|(expected, found)| *expected == u32::from_le_bytes(*found))
        {
            return Err("has a bucket that does not begin where its symbols do");
        }
        if !bloom.iter().zip(self.bloom).all(|(expected, found)| *expected == u64::from_le_bytes(*found)) {
            return Err("has a filter that is not that of its symbols");
        }
        Ok(())
    }
}

/// The table of the original specification, with chains through the symbols.
fn check_old(contents: &[u8], symbols: &[Symbol<'_>]) -> Result<(), &'static str> {
    let mut r = Reader(contents);
    let (bucket_count, chain_count) = r.u32().zip(r.u32()).ok_or("is cut")?;
    let (words, left) = r.0.as_chunks::<4>();
    if u64::from(bucket_count) + u64::from(chain_count) != words.len() as u64 || !left.is_empty() {
        return Err("does not have the size it says");
    }
    if bucket_count == 0 || chain_count as usize != symbols.len() {
        return Err("does not have a chain entry for each symbol");
    }
    let (buckets, chains) = words.split_at_checked(bucket_count as usize).ok_or("is cut")?;
    let mut seen = vec![false; symbols.len()];
    for (bucket, start) in buckets.iter().enumerate() {
        let mut index = u32::from_le_bytes(*start) as usize;
        while index != 0 {
            let (symbol, seen) =
                symbols.get(index).zip(seen.get_mut(index)).ok_or("points behind the symbols")?;
            // A symbol met a second time is a circle, in which the loader would walk for ever.
            if std::mem::replace(seen, true) {
                return Err("has a chain that goes in a circle");
            }
            if hash(symbol.name) as usize % buckets.len() != bucket {
                return Err("has a symbol in the wrong chain");
            }
            index = chains.get(index).map_or(0, |next| u32::from_le_bytes(*next) as usize);
        }
    }
    let lost = symbols.iter().zip(&seen).any(|(symbol, &seen)| symbol.is_exported() && !seen);
    if lost { Err("does not lead to every exported symbol") } else { Ok(()) }
}

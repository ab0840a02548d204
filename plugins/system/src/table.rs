//! The snapshot as a few lines that people and models read at a glance.

use crate::monitor::Order;
use crate::snapshot::{Memory, Snapshot};
use std::fmt::Write;

pub(crate) fn render(snapshot: &Snapshot, order: Order) -> String {
    let mut text = String::new();
    let load: Vec<String> = snapshot.load_average.iter().map(|load| format!("{load:.2}")).collect();
    let mut line = |label: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:<8}{value}");
    };
    line("up", &duration(snapshot.uptime_seconds));
    line(
        "cpu",
        &format!(
            "{:.1} % of {} processors, load {}",
            snapshot.cpu_percent,
            snapshot.cpu_count,
            load.join(" ")
        ),
    );
    line("memory", &memory(&snapshot.memory));
    line("swap", &memory(&snapshot.swap));
    for disk in &snapshot.disks {
        let used = Memory {
            total: disk.total,
            used: disk.total.saturating_sub(disk.available),
            available: disk.available,
        };
        line("disk", &format!("{}: {} ({})", disk.mount_point, memory(&used), disk.file_system));
    }
    if !snapshot.processes.is_empty() {
        let by = match order {
            Order::Memory => "memory",
            Order::Cpu => "cpu",
        };
        let (shown, all) = (snapshot.processes.len(), snapshot.process_count);
        let _ = writeln!(text, "\n{shown} of {all} processes, most {by} first (100 cpu % is one processor)");
        let _ = writeln!(text, "{:>8} {:>10} {:>7}  name", "pid", "memory", "cpu %");
        for process in &snapshot.processes {
            let _ = writeln!(
                text,
                "{:>8} {:>10} {:>7.1}  {}",
                process.pid,
                size(process.memory),
                process.cpu_percent,
                process.name
            );
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn memory(memory: &Memory) -> String {
    if memory.total == 0 {
        return "none".to_owned();
    }
    let share = 100 * u128::from(memory.used) / u128::from(memory.total);
    format!(
        "{} of {} used ({share} %), {} available",
        size(memory.used),
        size(memory.total),
        size(memory.available)
    )
}

fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // What would be written as 1024.0 belongs to the next unit.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

fn duration(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{Disk, Process};

    #[test]
    fn sizes_and_durations_are_short() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_575, "1.0 MiB"),
            (1_610_612_736, "1.5 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        for (seconds, text) in [(59, "0 min"), (3600, "1 h 0 min"), (90_061, "1 d 1 h 1 min")] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn the_table_shows_everything_once() {
        let snapshot = Snapshot {
            uptime_seconds: 7260,
            cpu_count: 2,
            cpu_percent: 12.3,
            load_average: vec![0.5, 0.25, 0.1],
            memory: Memory { total: 8 << 30, used: 2 << 30, available: 5 << 30 },
            swap: Memory { total: 0, used: 0, available: 0 },
            disks: vec![Disk {
                mount_point: "/".to_owned(),
                file_system: "ext4".to_owned(),
                total: 100 << 30,
                available: 75 << 30,
            }],
            process_count: 80,
            processes: vec![Process {
                pid: 42,
                name: "rustc".to_owned(),
                memory: 3 << 20,
                cpu_percent: 99.5,
            }],
        };
        let expected = "\
up      2 h 1 min
cpu     12.3 % of 2 processors, load 0.50 0.25 0.10
memory  2.0 GiB of 8.0 GiB used (25 %), 5.0 GiB available
swap    none
disk    /: 25.0 GiB of 100.0 GiB used (25 %), 75.0 GiB available (ext4)

1 of 80 processes, most cpu first (100 cpu % is one processor)
     pid     memory   cpu %  name
      42    3.0 MiB    99.5  rustc";
        assert_eq!(render(&snapshot, Order::Cpu), expected);
    }
}

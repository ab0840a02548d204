use std::fs;
use stud_e2e::{Layer, World, artefacts, patch_contract, rename_section};

#[test]
fn probe() {
    let world = World::with("hostile");
    world.put(Layer::Global, "refused");
    world.put(Layer::Global, "no_contract");
    world.put(Layer::Global, "constructor");
    world.put(Layer::Global, "disagrees");
    let mut b = fs::read(artefacts().fixture("hostile")).unwrap();
    b[18] = 183;
    b[19] = 0;
    world.put_bytes(Layer::Global, "arm.so", &b);
    let mut b = fs::read(artefacts().fixture("hostile")).unwrap();
    rename_section(&mut b);
    world.put_bytes(Layer::Global, "renamed.so", &b);
    let mut b = fs::read(artefacts().fixture("hostile")).unwrap();
    patch_contract(&mut b, |c| c["panic"] = "abort".into());
    world.put_bytes(Layer::Global, "abort.so", &b);
    println!("{}", world.stud(&["tools"]));
    println!("{}", world.text("read_file", r#"{"path": "../x"}"#));
}

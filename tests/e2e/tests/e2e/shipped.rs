//! C2 and the ABI: a plugin that was built for an earlier release still loads, from its file as it was shipped.

use serde_json::json;
use std::path::Path;
use stud_e2e::{Layer, World};

/// Every file in `tests/fixtures/shipped`, with the contract and the ABI that it was built for.
const SHIPPED: &[(&str, &str, u32)] = &[("greeter-contract-1.0-abi-1-x86_64-linux.so", "1.0.0", 1)];

#[test]
fn c2_plugins_of_every_release_still_load() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/shipped");
    let files = std::fs::read_dir(&directory)
        .unwrap()
        .flatten()
        .filter(|e| e.path().extension().is_some_and(|e| e == "so"));
    assert_eq!(files.count(), SHIPPED.len(), "each shipped file has its line here");
    for (name, contract, abi) in SHIPPED {
        let world = World::new().env("GREETER_SIGNATURE", "the door");
        world.config("[tools.greet]\ngreeting = \"Good morning\"\n");
        let file = world.put_bytes(Layer::Global, name, &std::fs::read(directory.join(name)).unwrap());
        let seen = world.stud(&["inspect", file.to_str().unwrap(), "--json"]).exits(0).json();
        assert_eq!((&seen["contractVersion"], &seen["abi"]), (&json!(contract), &json!(abi)));
        // Alias, default, enum, configuration, declared variable and a file of the workspace: all that 1.0 could do.
        let result = world.call_with("greet", r#"{"who": "Ada", "mood": "glad"}"#, &["--approve"]);
        assert_eq!(result["content"][0]["text"], "Good morning, Ada, at last! — the door", "{result:#}");
        assert_eq!(result["metadata"]["book"], "guests.txt");
        let book = std::fs::read_to_string(world.project().join("guests.txt")).unwrap();
        assert_eq!(book, "Good morning, Ada, at last! — the door\n");
        let report = world.stud(&["check", file.to_str().unwrap()]).exits(0);
        assert!(report.stdout.contains("every tool of it can be used"), "{report}");
    }
}

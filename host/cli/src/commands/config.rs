use crate::app::App;
use crate::args::ConfigArgs;
use crate::failure::{Exit, Failure};
use crate::render;
use stud_host::{KEYS, Kind};

pub(crate) fn run(app: &App, args: &ConfigArgs) -> Result<Exit, Failure> {
    if args.keys {
        return keys(args.json);
    }
    let host = app.open()?;
    let settings = host.config().settings();
    if args.json {
        return render::json(&settings);
    }
    let rows = settings.into_iter().map(|s| vec![s.key, s.value.to_string(), s.origin]).collect();
    render::out(&render::table(&["KEY", "VALUE", "FROM"], rows))?;
    render::note("`stud config --keys` says what each key does");
    Ok(Exit::Done)
}

fn keys(json: bool) -> Result<Exit, Failure> {
    let kind = |kind: Kind| match kind {
        Kind::Integer { min, max } => format!("whole number, {min} to {max}"),
        Kind::Texts => "list of texts".to_owned(),
    };
    if json {
        let keys: Vec<_> = KEYS
            .iter()
            .map(|key| {
                serde_json::json!({
                    "key": key.name, "type": kind(key.kind), "default": key.default, "environment": key.env, "help": key.help
                })
            })
            .collect();
        return render::json(&keys);
    }
    let rows = KEYS
        .iter()
        .map(|key| {
            vec![
                key.name.to_owned(),
                kind(key.kind),
                key.default.to_owned(),
                key.env.to_owned(),
                key.help.to_owned(),
            ]
        })
        .collect();
    let mut text = render::table(&["KEY", "TYPE", "DEFAULT", "ENVIRONMENT", "WHAT"], rows);
    text.push_str("\n[tools.NAME] sections: `enabled` (true or false), `timeoutMs` (milliseconds), and the tool's own keys\n");
    render::out(&text)
}

//! The decision, step by step in the order of spec A1.

use crate::command::{Analysis, Part, analyse};
use crate::{
    AgentMode, CallFacts, ClassMode, Decision, EmbedderSays, Policy, Reason, SecurityMode, SessionFacts,
    Severity, Verdict, check_key,
};
use stud_contract::SideEffects;

/// What one step says: a verdict with its reason, or nothing.
type Said = Option<(Verdict, Reason)>;

/// Everything that the steps look at.
struct Case<'a> {
    policy: &'a Policy,
    call: &'a CallFacts,
    session: &'a SessionFacts,
    security: SecurityMode,
    agent: AgentMode,
    command: Option<&'a Analysis>,
    /// The part that is decided; `None` for tools without commands.
    part: Option<&'a Part>,
    key: Option<&'a str>,
    words: Option<String>,
}

/// Decides one call (spec A1). Pure: the same facts give the same decision.
///
/// A command is decided part by part, and the strictest part wins.
#[must_use]
pub fn decide(policy: &Policy, call: &CallFacts, session: &SessionFacts) -> Decision {
    let analysis = call.command.as_deref().map(analyse);
    let security = session.security_mode.unwrap_or(policy.security_mode);
    let agent = session.agent_mode.unwrap_or(policy.agent_mode);
    let case = |part: Option<&'_ Part>| -> Outcome {
        let key = part.map_or(call.key.as_deref(), |part| part.key.as_deref());
        let words = part.map(Part::text);
        one(&Case {
            policy,
            call,
            session,
            security,
            agent,
            command: analysis.as_ref(),
            part: None,
            key,
            words,
        }
        .with(part))
    };
    let outcomes: Vec<Outcome> = match &analysis {
        Some(analysis) if !analysis.parts.is_empty() => {
            analysis.parts.iter().map(|part| case(Some(part))).collect()
        }
        _ => vec![case(None)],
    };
    combine(outcomes, analysis.as_ref())
}

/// The decision about one part.
struct Outcome {
    verdict: Verdict,
    reasons: Vec<Reason>,
    key: Option<String>,
    rememberable: bool,
}

impl<'a> Case<'a> {
    fn with<'b>(self, part: Option<&'b Part>) -> Case<'b>
    where
        'a: 'b,
    {
        Case { part, ..self }
    }

    fn is_command(&self) -> bool {
        self.command.is_some()
    }
}

fn one(case: &Case<'_>) -> Outcome {
    let steps: [fn(&Case<'_>) -> Said; 7] =
        [deny_rules, always_asks, embedder, per_tool, security_mode, remembered, side_effect_class];
    // The first that says something decides; `side_effect_class` always does.
    let decided = steps.iter().find_map(|step| step(case));
    let (mut verdict, first) =
        decided.unwrap_or_else(|| (Verdict::Ask, reason("A1", "default", "nothing says that it may run")));
    let mut reasons = vec![first];
    for guard in [agent_guard, hidden, sensitive, writes_outside] {
        if let Some((tighter, why)) = guard(case) {
            if tighter > verdict {
                verdict = tighter;
                reasons.insert(0, why);
            } else if tighter == verdict && verdict != Verdict::Allow {
                reasons.push(why);
            }
        }
    }
    let key = case.key.filter(|key| check_key(key).is_ok());
    let critical = case.part.is_some_and(|part| part.severity == Severity::Critical);
    let rememberable = key.is_some()
        && !critical
        && !case.call.always_require_approval
        && hidden(case).is_none()
        && sensitive(case).is_none()
        && writes_outside(case).is_none()
        && case.agent != AgentMode::Manual;
    if verdict == Verdict::Ask
        && key.is_none()
        && let Some(problem) = key_problem(case)
    {
        reasons.push(problem);
    }
    Outcome { verdict, reasons, key: key.map(str::to_owned), rememberable }
}

fn reason(rule: &str, source: &str, text: impl Into<String>) -> Reason {
    Reason { rule: rule.to_owned(), source: source.to_owned(), text: text.into() }
}

fn said(verdict: Verdict, rule: &str, source: &str, text: impl Into<String>) -> Said {
    Some((verdict, reason(rule, source, text)))
}

/// 1. Rules that deny.
fn deny_rules(case: &Case<'_>) -> Said {
    by_rule(case, Verdict::Deny)
}

fn by_rule(case: &Case<'_>, verdict: Verdict) -> Said {
    let tool = case.call.tool.as_str();
    let rule = case
        .policy
        .rules
        .iter()
        .find(|rule| rule.verdict == verdict && rule.fits(tool, case.key, case.words.as_deref()))?;
    let what = case.words.clone().or_else(|| case.key.map(str::to_owned)).unwrap_or_else(|| tool.to_owned());
    let text = rule.reason.clone().unwrap_or_else(|| format!("a rule says {verdict} for `{what}`"));
    said(verdict, "A1", &rule.place, text)
}

/// 2. Tools that always require approval, and critical commands (spec A2).
fn always_asks(case: &Case<'_>) -> Said {
    if let Some(part) = case.part.filter(|part| part.severity == Severity::Critical) {
        return said(Verdict::Ask, "A9", "command", format!("`{}` is critical: {}", part.text(), part.why));
    }
    let text = || format!("`{}` asks whatever was said before", case.call.tool);
    if case.call.always_require_approval { said(Verdict::Ask, "A2", "contract", text()) } else { None }
}

/// 3. What the embedder's state machine says.
fn embedder(case: &Case<'_>) -> Said {
    match case.session.embedder.as_ref()? {
        EmbedderSays::Grant(why) => said(Verdict::Allow, "A1", "embedder", why.clone()),
        EmbedderSays::Deny(why) => said(Verdict::Deny, "A1", "embedder", why.clone()),
    }
}

/// What is said about a tool as such: agent mode over session over configuration.
pub(crate) fn tool_mode(
    policy: &Policy,
    tool: &str,
    session: &SessionFacts,
    agent: AgentMode,
) -> Option<(ClassMode, &'static str)> {
    let in_agent =
        policy.agent.iter().find(|(mode, _)| **mode == agent.name()).and_then(|(_, tools)| tools.get(tool));
    let modes =
        [(in_agent, "agent mode"), (session.tools.get(tool), "session"), (policy.tools.get(tool), "tools")];
    modes.into_iter().find_map(|(mode, source)| Some((*mode?, source)))
}

/// 4. Rules about this tool, key or command, then modes of the tool.
fn per_tool(case: &Case<'_>) -> Said {
    if let Some(asks) = by_rule(case, Verdict::Ask) {
        return covered(case, false).or(Some(asks));
    }
    let mode = tool_mode(case.policy, case.call.tool.as_str(), case.session, case.agent);
    // The configuration is one level, whichever way it is written: a mode that tightens comes before a rule that allows.
    if let Some((mode @ (ClassMode::Ask | ClassMode::AskOnce | ClassMode::Deny), source)) = mode {
        let text = format!("`{}` is set to {}", case.call.tool, mode.verdict());
        let covered = (mode != ClassMode::Deny).then(|| covered(case, mode == ClassMode::AskOnce)).flatten();
        return covered.or_else(|| said(mode.verdict(), "A4", source, text));
    }
    by_rule(case, Verdict::Allow).or_else(|| {
        mode.and_then(|(_, source)| {
            said(Verdict::Allow, "A4", source, format!("`{}` is set to run unasked", case.call.tool))
        })
    })
}

/// 5. The security mode.
fn security_mode(case: &Case<'_>) -> Said {
    if !case.call.gated {
        return said(Verdict::Allow, "C7", "contract", format!("`{}` needs no approval", case.call.tool));
    }
    if let Some(class) = class_denies(case) {
        return Some(class);
    }
    let holds = matches!(case.agent, AgentMode::Review | AgentMode::Audit) && case.session.writes_held;
    if holds && case.call.side_effects == SideEffects::Write {
        return said(
            Verdict::Allow,
            "A3",
            &format!("agent mode {}", case.agent.name()),
            "the write is held back until it is accepted",
        );
    }
    match case.security {
        SecurityMode::Yolo => said(Verdict::Allow, "A2", "mode yolo", "the ordinary gate is off"),
        SecurityMode::Ask => None,
        SecurityMode::Allowlist if case.policy.allowlist.fit(case.key, case.words.as_deref()) => {
            let what = case.words.as_deref().or(case.key).unwrap_or_default();
            said(Verdict::Allow, "A2", "allowlist", format!("a pattern of the allowlist matches `{what}`"))
        }
        SecurityMode::Allowlist => None,
    }
}

fn class_denies(case: &Case<'_>) -> Said {
    let class = case.call.side_effects;
    let mode = case.policy.classes.of(class, case.session.trusted_workspace);
    let text = || format!("tools of class {class} do not run");
    if mode == ClassMode::Deny { said(Verdict::Deny, "A4", "classes", text()) } else { None }
}

/// 6a. What was said before, and what is known to be harmless.
fn remembered(case: &Case<'_>) -> Said {
    let once =
        case.policy.classes.of(case.call.side_effects, case.session.trusted_workspace) == ClassMode::AskOnce;
    covered(case, once).or_else(|| {
        let part = case.part.filter(|part| part.safe && case.policy.known_safe)?;
        said(Verdict::Allow, "A9", "known safe", format!("`{}` is known to only read", part.text()))
    })
}

fn covered(case: &Case<'_>, any_key: bool) -> Said {
    // A hidden command, or a key that breaks the rules, is covered by nothing.
    let key = case.key.filter(|key| check_key(key).is_ok())?;
    let (tool, layer, digest) = (case.call.tool.as_str(), &case.call.layer, &case.call.digest);
    let approvals = &case.session.approvals;
    let found = approvals.covers(tool, Some(key), layer, digest);
    let found = found.or_else(|| if any_key { approvals.any_of(tool, layer, digest) } else { None })?;
    let scope = format!("{:?}", found.scope);
    said(Verdict::Allow, "A6", "approval", format!("`{key}` was approved before ({scope})"))
}

/// 6b. The class of side effects.
fn side_effect_class(case: &Case<'_>) -> Said {
    let class = case.call.side_effects;
    let mode = case.policy.classes.of(class, case.session.trusted_workspace);
    match (case.security, mode.verdict()) {
        (SecurityMode::Allowlist, Verdict::Ask) if !case.session.interactive => said(
            Verdict::Deny,
            "A2",
            "allowlist",
            "no pattern of the allowlist matches, and nobody can be asked",
        ),
        (SecurityMode::Allowlist, Verdict::Ask) => {
            said(Verdict::Ask, "A2", "allowlist", "no pattern of the allowlist matches")
        }
        (_, Verdict::Allow) if case.is_command() => {
            let text = format!("tools of class {class} run unasked");
            said(Verdict::Allow, "A4", "classes", text)
        }
        (_, verdict) => {
            let does = if verdict == Verdict::Allow { "run unasked" } else { "ask" };
            said(verdict, "A4", "classes", format!("tools of class {class} {does}"))
        }
    }
}

/// Guard: what the agent mode asks of everything (spec A3). It only tightens.
fn agent_guard(case: &Case<'_>) -> Said {
    let class = case.call.side_effects;
    let only_reads = !class.mutates() || (case.policy.known_safe && case.command.is_some_and(Analysis::safe));
    let source = format!("agent mode {}", case.agent.name());
    match case.agent {
        AgentMode::Plan if !only_reads => {
            said(Verdict::Deny, "A3", &source, "nothing that changes something runs while planning")
        }
        AgentMode::Manual if class != SideEffects::None => {
            said(Verdict::Ask, "A3", &source, "every call is asked for")
        }
        AgentMode::Review | AgentMode::Audit if !only_reads && class > stud_contract::SideEffects::Write => {
            let known = covered(case, false).is_some();
            if known {
                None
            } else {
                said(Verdict::Ask, "A3", &source, "only writes to files can be held back: the rest asks")
            }
        }
        _ => None,
    }
}

/// Guard: what cannot be told asks, in every mode (spec A9).
fn hidden(case: &Case<'_>) -> Said {
    let analysis = case.command?;
    let why = case.part.and_then(|part| part.hidden.as_deref()).or(analysis.hidden.as_deref());
    let nothing = analysis.parts.is_empty().then_some("there is no command in the line");
    let why = why.or(nothing)?;
    said(Verdict::Ask, "A9", "command", format!("it cannot be told what it does: {why}"))
}

/// Guard: sensitive files (spec A10), for every tool that names paths.
fn sensitive(case: &Case<'_>) -> Said {
    let files = &case.policy.sensitive;
    let asks = |path: &str| {
        let pattern = files.matching(path).map_or("too many components", |entry| entry.pattern.as_str());
        said(Verdict::Ask, "A10", "sensitive files", format!("`{path}` is a sensitive file (`{pattern}`)"))
    };
    let named = case.call.paths.iter().map(String::as_str);
    let words = case
        .part
        .into_iter()
        .flat_map(|part| part.words.iter().skip(1).chain(&part.redirects))
        .flat_map(|word| paths_in(word));
    if let Some(path) = named.chain(words).find(|path| !files.automatic(path)) {
        return asks(path);
    }
    let globs = case.part.into_iter().flat_map(|part| &part.globs);
    globs.into_iter().find_map(|glob| {
        let reached = files.reached_by(glob)?;
        said(
            Verdict::Ask,
            "A10",
            "sensitive files",
            format!("`{glob}` may become a sensitive file (`{reached}`)"),
        )
    })
}

/// A word, and the value of an option in it.
fn paths_in(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once(['=', ':', '@']).map(|(_, value)| value);
    let attached = word.strip_prefix('-').and_then(|rest| rest.get(1..)).filter(|_| !word.starts_with("--"));
    let short = |text: &&str| text.len() < 4096;
    [Some(word), value, attached].into_iter().flatten().filter(short)
}

/// Guard: a redirection that writes outside the workspace is covered by no approval of its program.
fn writes_outside(case: &Case<'_>) -> Said {
    let part = case.part.filter(|part| part.writes_outside)?;
    let to = part.redirects.join("`, `");
    said(Verdict::Ask, "A9", "command", format!("it writes to `{to}`, outside the workspace"))
}

fn key_problem(case: &Case<'_>) -> Option<Reason> {
    let text = match case.key {
        Some(key) => format!("an answer cannot be remembered: {}", check_key(key).err()?),
        None => "an answer cannot be remembered: there is no approval key".to_owned(),
    };
    Some(reason("C8", "approval key", text))
}

/// The strictest part wins (spec A9).
fn combine(outcomes: Vec<Outcome>, analysis: Option<&Analysis>) -> Decision {
    let verdict = outcomes.iter().map(|outcome| outcome.verdict).max().unwrap_or(Verdict::Ask);
    let deciding = outcomes.iter().filter(|outcome| outcome.verdict == verdict);
    let mut keys: Vec<String> = Vec::new();
    let mut reasons: Vec<Reason> = Vec::new();
    let mut rememberable = true;
    for outcome in deciding {
        rememberable &= outcome.rememberable;
        if let Some(key) = outcome.key.as_ref().filter(|key| !keys.contains(key)) {
            keys.push(key.clone());
        }
        for reason in outcome
            .reasons
            .iter()
            .filter(|reason| reasons.len() < MAX_REASONS && !reasons.contains(reason))
            .cloned()
            .collect::<Vec<_>>()
        {
            reasons.push(reason);
        }
    }
    let key = match keys.as_slice() {
        [one] if rememberable || verdict != Verdict::Ask => Some(one.clone()),
        _ => None,
    };
    Decision { verdict, key, severity: analysis.map(Analysis::severity), reasons, keys, rememberable }
}

/// More reasons than this help nobody.
const MAX_REASONS: usize = 16;

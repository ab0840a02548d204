use crate::{measure, table};
use stud_plugin_api::prelude::*;

/// By what processes are ranked.
#[data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Those that hold the most memory first.
    Memory,
    /// Those that take the most processor time first.
    Cpu,
}

/// Shows how busy this machine is: processors, memory, swap, disks, uptime, and the processes that use most.
///
/// Names of processes are shown without their arguments.
#[tool(
    side_effects = "read",
    category = "system",
    requires_workspace = false,
    examples({}, {"top": 10, "sort": "cpu"}, {"top": 0})
)]
pub fn system_monitor(
    ctx: &Context,
    /// How many processes to list.
    #[arg(default = 5u32, max = 50)]
    top: u32,
    /// What to rank them by.
    #[arg(default = Order::Memory, alias("order", "sort_by"))]
    sort: Order,
) -> Result<String> {
    let snapshot = measure::measure(ctx, top as usize, sort)?;
    ctx.metadata("snapshot", serde_json::to_value(&snapshot)?);
    Ok(table::render(&snapshot, sort))
}

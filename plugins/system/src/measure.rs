use crate::monitor::Order;
use crate::snapshot::{Disk, Memory, Process, Snapshot};
use std::cmp::Ordering;
use std::thread;
use stud_plugin_api::{Context, Error, Result};
use sysinfo::{Disks, MINIMUM_CPU_UPDATE_INTERVAL, ProcessRefreshKind, ProcessesToUpdate, System};

/// Measures the machine. Takes a fifth of a second: how busy processors are is a difference between two moments.
pub(crate) fn measure(ctx: &Context, top: usize, order: Order) -> Result<Snapshot> {
    ctx.check_cancelled()?;
    let mut system = System::new().map_err(|error| unsupported(&error))?;
    let what = ProcessRefreshKind::nothing().with_cpu().with_memory().without_tasks();
    system.refresh_memory();
    system.refresh_cpu_usage();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    thread::sleep(MINIMUM_CPU_UPDATE_INTERVAL);
    ctx.check_cancelled()?;
    system.refresh_cpu_usage();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);

    let load = System::load_average().ok();
    Ok(Snapshot {
        uptime_seconds: System::uptime().map_err(|error| unsupported(&error))?,
        cpu_count: u32::try_from(system.cpus().len()).unwrap_or(u32::MAX),
        cpu_percent: percent(system.global_cpu_usage()),
        load_average: load.map_or_else(|| vec![0.0; 3], |load| vec![load.one, load.five, load.fifteen]),
        memory: memory(&system),
        swap: Memory { total: system.total_swap(), used: system.used_swap(), available: system.free_swap() },
        disks: disks()?,
        process_count: u32::try_from(system.processes().len()).unwrap_or(u32::MAX),
        processes: processes(&system, top, order),
    })
}

fn unsupported(error: &sysinfo::Error) -> Error {
    Error::new(format!("this machine cannot be measured: {error:?}; use a command such as `top` instead"))
        .code("unsupported")
}

/// One decimal is all that this is worth.
fn percent(value: f32) -> f64 {
    (f64::from(value) * 10.0).round() / 10.0
}

fn memory(system: &System) -> Memory {
    let machine = Memory {
        total: system.total_memory(),
        used: system.used_memory(),
        available: system.available_memory(),
    };
    // A container may have less than the machine.
    match system.cgroup_limits() {
        Some(limits) if limits.total_memory > 0 && limits.total_memory < machine.total => Memory {
            total: limits.total_memory,
            used: limits.total_memory.saturating_sub(limits.free_memory),
            available: limits.free_memory,
        },
        _ => machine,
    }
}

fn disks() -> Result<Vec<Disk>> {
    let list = Disks::new_with_refreshed_list().map_err(|error| unsupported(&error))?;
    let mut disks: Vec<(String, Disk)> = list
        .iter()
        .map(|disk| {
            let facts = Disk {
                mount_point: disk.mount_point().to_string_lossy().into_owned(),
                file_system: disk.file_system().to_string_lossy().into_owned(),
                total: disk.total_space(),
                available: disk.available_space(),
            };
            (disk.name().to_string_lossy().into_owned(), facts)
        })
        .filter(|(_, disk)| disk.total > 0)
        .collect();
    // One device may be mounted at many places: the shortest is the one that says most.
    disks.sort_by(|(_, a), (_, b)| {
        a.mount_point.len().cmp(&b.mount_point.len()).then_with(|| a.mount_point.cmp(&b.mount_point))
    });
    let mut seen: Vec<String> = Vec::new();
    disks.retain(|(device, _)| {
        let new = !seen.contains(device);
        seen.push(device.clone());
        new
    });
    Ok(disks.into_iter().map(|(_, disk)| disk).collect())
}

fn processes(system: &System, top: usize, order: Order) -> Vec<Process> {
    let mut processes: Vec<Process> = system
        .processes()
        .values()
        .map(|process| Process {
            pid: process.pid().as_u32(),
            // A process names itself, so anything may stand there.
            name: process.name().to_string_lossy().replace(char::is_control, "?"),
            memory: process.memory(),
            cpu_percent: percent(process.cpu_usage()),
        })
        .collect();
    processes.sort_by(|a, b| compare(a, b, order));
    processes.truncate(top);
    processes
}

/// Most first; the number decides between equals, so that the order is the same each time.
pub(crate) fn compare(a: &Process, b: &Process, order: Order) -> Ordering {
    let by_memory = b.memory.cmp(&a.memory);
    let by_cpu = b.cpu_percent.total_cmp(&a.cpu_percent);
    let use_first = match order {
        Order::Memory => by_memory.then(by_cpu),
        Order::Cpu => by_cpu.then(by_memory),
    };
    use_first.then_with(|| a.pid.cmp(&b.pid))
}

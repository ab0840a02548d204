use stud_plugin_api::data;

/// The state of a machine at one moment. Sizes are bytes, shares are percent.
#[data]
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Seconds since the machine was started.
    pub uptime_seconds: u64,
    /// Logical processors.
    pub cpu_count: u32,
    /// How busy they are, all together: 100 is all of them.
    pub cpu_percent: f64,
    /// Processes that want to run, averaged over 1, 5 and 15 minutes; zeros where the system does not count them.
    pub load_average: Vec<f64>,
    /// Main memory.
    pub memory: Memory,
    /// Memory on disk.
    pub swap: Memory,
    /// Disks with their mount points.
    pub disks: Vec<Disk>,
    /// How many processes there are.
    pub process_count: u32,
    /// Those that use most, as far as they were asked for.
    pub processes: Vec<Process>,
}

/// How much there is, and how much is in use.
#[data]
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// All of it; within a container, what the container may use.
    pub total: u64,
    /// In use.
    pub used: u64,
    /// What programs could still get.
    pub available: u64,
}

/// One disk.
#[data]
#[derive(Debug, Clone, PartialEq)]
pub struct Disk {
    /// Where it is mounted.
    pub mount_point: String,
    /// The file system's type.
    pub file_system: String,
    /// Its size.
    pub total: u64,
    /// What is free for users.
    pub available: u64,
}

/// One process. Its arguments are left out: they may hold secrets.
#[data]
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// The name of its program.
    pub name: String,
    /// Memory that it holds.
    pub memory: u64,
    /// Processor time it takes: 100 is one processor.
    pub cpu_percent: f64,
}

//! Compiles the controllers of `data/controllers/` into the program: the published ones and the
//! project's own. The crate's folder has a link to `data/controllers/`, because a published crate
//! includes only files in its folder.

/// A controller that is compiled into the program.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::PRESETS;
/// let bcts = PRESETS.iter().find(|preset| preset.name == "bcts").expect("a preset");
/// assert_eq!(bcts.controller()?.weights.len(), 8);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ControllerPreset {
    /// Name of the preset controller.
    pub name: &'static str,
    /// Text of the controller's TOML file.
    pub toml: &'static str,
    /// Contents of the file of tables that the TOML file names; empty if it names none.
    pub tables: &'static [u8],
}

macro_rules! presets {
    // A preset with tables of patterns also names their file: `"mine" + "mine.bin"`.
    (@tables) => { &[] };
    (@tables $tables:literal) => { include_bytes!(concat!("../controllers/", $tables)) };
    ($($name:literal $(+ $tables:literal)?)*) => {
        /// All presets of classic games, in the order of `tetrastat show controllers`.
        pub const PRESETS: &[ControllerPreset] = &[$(ControllerPreset {
            name: $name,
            toml: include_str!(concat!("../controllers/", $name, ".toml")),
            tables: presets!(@tables $($tables)?),
        }),*];
    };
}

presets! {
    "bcts" "dellacherie" "dellacherie-ce" "dellacherie-cmaes" "bdu" "dt10" "dt10-wells" "dt20"
    "dt20-wells" "rvce"
    "el-tetris" "el-tetris-sky" "el-tetris-eroded" "lee" "guide-basic" "guide-dellacherie"
    "guide-thiery" "guide-ga"
    "notebook-4" "notebook-8" "notebook-ones" "capstone-sprint" "unity" "tetrastat-10x10"
    "tetrastat-10x10-columns" "tetrastat-10x20" "tetrastat-sz"
}

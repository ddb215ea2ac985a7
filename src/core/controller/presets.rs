//! The published controllers and our own, compiled in from `data/controllers/`: by a link in this crate, since what is
//! published of a crate must lie in its folder.

/// A controller that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct ControllerPreset {
    /// The name to use.
    pub name: &'static str,
    /// Its file.
    pub toml: &'static str,
}

macro_rules! presets {
    ($($name:literal)*) => {
        /// Every preset, in the order of `tetrastat controllers`.
        pub const PRESETS: &[ControllerPreset] = &[$(ControllerPreset {
            name: $name,
            toml: include_str!(concat!("../controllers/", $name, ".toml")),
        }),*];
    };
}

presets! {
    "bcts" "dellacherie" "dellacherie-ce" "dellacherie-cmaes" "bdu" "dt10" "dt10-wells" "dt20"
    "dt20-wells" "rvce"
    "el-tetris" "el-tetris-sky" "el-tetris-eroded" "lee" "guide-basic" "guide-dellacherie" "guide-thiery" "guide-ga"
    "notebook-4" "notebook-8" "notebook-ones" "capstone-sprint" "unity" "tetrastat-10x10"
    "tetrastat-10x10-columns" "tetrastat-10x20" "tetrastat-sz"
}

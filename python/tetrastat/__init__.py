"""A research engine for falling-block games: correct to the bit, fast, and logged as tidy rows."""

from . import commands, datasets, summaries
from ._registration import register as _register_environments
from ._boards import Afterstates, afterstates, cells, feature_names, features, placements
from ._export import export_onnx
from ._folders import Comparison, Estimate, Folder, Run, Study, read_estimate, read_run, read_study
from ._players import Player
from ._runs import compare, estimate, options, simulate, study
from ._shares import Shares, share
from ._stream import stream
from ._tetrastat import Board, Evaluator, Optimiser, Placed, SettingError, Table, TetrastatError, Training, __version__
from ._training import train
from .commands import annotate, data_convert, data_merge, data_verify, exact, label, show_controllers, view

__all__ = ["TetrastatError", "__version__"]
__all__ += ["Afterstates", "Board", "Placed", "afterstates", "cells", "feature_names", "features", "placements"]
__all__ += ["Comparison", "Estimate", "Folder", "Run", "SettingError", "Shares", "Study", "Table"]
__all__ += ["compare", "estimate", "options", "read_estimate", "read_run", "read_study", "share", "simulate", "stream", "study"]
__all__ += ["annotate", "commands", "data_convert", "data_merge", "data_verify"]
__all__ += ["exact", "export_onnx", "label", "show_controllers", "view"]
__all__ += ["Evaluator", "Optimiser", "Player", "Training", "datasets", "summaries", "train"]

_register_environments()

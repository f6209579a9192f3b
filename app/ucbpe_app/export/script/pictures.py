"""The last lines of a script: one picture of the event, in few lines of Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ucbpe_app.run.frames import Frame
    from ucbpe_app.run.replay import Replay
    from ucbpe_app.run.screen import Layers


def picture(replay: Replay, frame: Frame, layers: Layers) -> str:
    """The function where it can be drawn, else the decision plane."""
    region = frame.region_plus is not None
    d = replay.scene.dimension
    if d == 1:
        return _curve(layers, region=region, fresh=frame.fresh)
    return _field(layers, region=region) if d == 2 else _plane(region=region)


def _curve(layers: Layers, *, region: bool, fresh: int) -> str:
    # As ruff would write it: a space after the colon where more than a name follows.
    seen = f" n + {fresh}" if fresh else "n"
    lines = [
        "x = problem.candidates[:, 0]",
        f"seen = trace.posterior.conditioned_indices[:{seen}]",
        "half = decision.sqrt_beta * std",
        "figure, (above, below) = plt.subplots(2, sharex=True)",
        'band = f"mean ± {decision.sqrt_beta:.3g} std (β = {decision.beta:.3g})"',
        "above.fill_between(x, mean - half, mean + half, alpha=0.3, label=band)",
        'above.plot(x, mean, label="mean")',
    ]
    if layers.truth:
        lines.append('above.plot(x, problem.values, "-.", color="grey", label="truth")')
    if layers.noisy:
        lines += [
            "noisy = decision.sqrt_beta * np.sqrt(std**2 + gp.noise_variance)",
            'above.plot(x, mean - noisy, "C0", lw=0.8, label="of a measurement")',
            'above.plot(x, mean + noisy, "C0", lw=0.8)',
        ]
    lines += [
        f'above.plot(x[list(seen)], trace.y[:{seen}], "kx", label="data")',
        'above.plot(x[picks], mean[picks], "D", label="picks")',
    ]
    if region:
        lines.append('above.axhline(decision.y_dot, ls=":", color="C2", label="y•")')
        lines.append("inside = np.where(decision.region_plus, std_now, np.nan)")
        lines.append('below.plot(x, inside, lw=3, color="C1", label="R⁺")')
    lines += [
        'below.plot(x, std_now, "C0", label="std now")',
        "below.set_xlabel(problem.axes[0])",
        "above.set_ylabel(problem.axes[-1])",
        'below.set_ylabel("std")',
        "above.legend()",
        "below.legend()",
        "plt.show()",
    ]
    return "\n".join(lines)


def _field(layers: Layers, *, region: bool) -> str:
    shown = [*(["truth"] if layers.truth else []), "mean", "std", "upper bound"]
    values = {
        "truth": "problem.values",
        "mean": "mean",
        "std": "std_now",
        "upper bound": "mean + decision.sqrt_beta * std_now",
    }
    panels = "".join(f'    "{name}": {values[name]},\n' for name in shown)
    lines = [
        "x, y = problem.candidates.T",
        *(["inside = decision.region_plus.astype(float)"] if region else []),
        f"panels = {{\n{panels}}}",
        f"figure, squares = plt.subplots(1, {len(shown)}, figsize=({4 * len(shown)}, 4))",
        "for axes, (name, values) in zip(squares, panels.items()):",
        "    dots = axes.scatter(x, y, c=values, s=6)",
        "    figure.colorbar(dots, ax=axes)",
    ]
    if region:
        lines += [
            "    if not inside.all():",
            '        axes.tricontour(x, y, inside, [0.5], colors="w")',
        ]
    lines += [
        '    axes.plot(x[picks], y[picks], "D", color="C1")',
        "    axes.set(title=name, xlabel=problem.axes[0], ylabel=problem.axes[1])",
        "plt.show()",
    ]
    return "\n".join(lines)


def _plane(*, region: bool) -> str:
    color = 'np.where(decision.region_plus, "C1", "grey")' if region else '"grey"'
    lines = [
        f"colors = {color}",
        "plt.scatter(std_now, mean, c=colors, s=6)",
        'plt.plot(std_now[picks], mean[picks], "D", label="picks")',
    ]
    if region:
        lines += [
            "reach = np.array([0, std_now.max()])",
            "edge = decision.y_dot - 2 * np.sqrt(decision.beta_next) * reach",
            'plt.plot(reach, edge, "--", label="R⁺ is above")',
        ]
    lines += ['plt.xlabel("std")', 'plt.ylabel("mean")', "plt.legend()", "plt.show()"]
    return "\n".join(lines)

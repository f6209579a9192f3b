"""Flows of the shallow-water equations that are known exactly."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import h1vp, hankel1, j0, j1

GRAVITY = 9.81


def stoker(left, right, speed):
    """Depth where x / t = speed after the break of a dam between two depths at x = 0.

    Stoker, Water Waves, 1957, section 10.8: a rarefaction, a plateau and a shock.
    """
    c = np.sqrt(GRAVITY * left)

    def jump(depth):
        between = depth * right / (depth + right)
        return 2 * (c - np.sqrt(GRAVITY * depth)) - (depth - right) * np.sqrt(
            0.5 * GRAVITY / between
        )

    plateau = brentq(jump, right, left)
    u = 2 * (c - np.sqrt(GRAVITY * plateau))
    shock = plateau * u / (plateau - right)
    fan = (2 * c - speed) ** 2 / (9 * GRAVITY)
    inside = np.where(speed < u - np.sqrt(GRAVITY * plateau), fan, plateau)
    return np.where(speed < -c, left, np.where(speed < shock, inside, right))


def ritter(left, speed):
    """The same over dry ground. Ritter, 1892: one rarefaction."""
    c = np.sqrt(GRAVITY * left)
    fan = (2 * c - np.clip(speed, -c, 2 * c)) ** 2 / (9 * GRAVITY)
    return np.where(speed < -c, left, fan)


def bowl(radius, depth, reach):
    """Elevation of a paraboloid: -depth in the middle, 0 at `reach`."""
    return -depth * (1 - (radius / reach) ** 2)


def thacker_heaving(radius, time, *, depth, reach, swing):
    """Surface of the paraboloid that heaves in the bowl; at rest when time = 0.

    Thacker, 1981: frequency sqrt(8 g depth) / reach.
    """
    omega = np.sqrt(8 * GRAVITY * depth) / reach
    part = np.sqrt(1 - swing**2) / (1 - swing * np.cos(omega * time))
    return depth * (part - 1 - (radius / reach) ** 2 * (part**2 - 1))


def beach_run_up(elevation, duration, depth, slope):
    """Run-up of any wave that does not break, in linear theory.

    Each frequency climbs by 2 / |J0 - i J1| at twice omega times the travel time up the beach
    (Synolakis 1987, eq. 2.12); Carrier and Greenspan's transformation leaves the greatest run-up
    of the nonlinear equations the same. `elevation` is that of the incoming wave at the foot.
    """
    count = 2**15
    time = (np.arange(count) / count - 0.25) * duration
    omega = 2 * np.pi * np.fft.rfftfreq(count, duration / count)
    phase = 2 * omega * depth / slope / np.sqrt(GRAVITY * depth)
    climbed = 2 * np.fft.rfft(elevation(time)) / (j0(phase) + 1j * j1(phase))
    return np.fft.irfft(climbed, count).max()


def around_island(elevation, duration, points, *, depth, slope, crest, modes, frequencies):
    """Surface near a conical island after a pulse, in linear theory: times, surfaces (n, times).

    A plane wave exp(-i omega t) is a sum of Bessel functions times cos(m theta). Over the cone,
    where h = slope (r - r0), the amplitude R of each solves (r h R')' + (omega^2 r / g - m^2 h /
    r) R = 0 with R and r h R' finite at the shoreline; at the foot it and its slope continue
    those of the plane wave and of outgoing waves.

    Waves along the shore of an island die out slowly. Frequencies have an imaginary part, which
    amounts to transforming elevation exp(-decay t), lest they come round from the end of the
    period to its beginning. `elevation` is that of the incoming wave above the crest, were there
    no island; it goes towards theta = 0. Points are (r, theta), from the shoreline to the foot.
    """
    count, decay = 2**11, 6.0 / duration
    time = (np.arange(count) / count - 0.25) * duration
    spectrum = np.fft.rfft(elevation(time) * np.exp(-decay * time))
    radii, angles = np.array(points).T
    result = np.zeros((len(points), len(spectrum)), complex)
    for number in range(frequencies):
        omega = 2 * np.pi * number / duration + 1j * decay
        transfer = sum(
            _mode(omega, m, radii, depth, slope, crest) * np.cos(m * angles) for m in range(modes)
        )
        # NumPy's transform has exp(+i omega t): the conjugate.
        result[:, number] = spectrum[number] * np.conj(transfer)
    return time, np.fft.irfft(result, count, axis=1) * np.exp(decay * time)


def _mode(omega, m, radii, depth, slope, crest):
    shore, foot = crest / slope, (crest + depth) / slope
    k = omega / np.sqrt(GRAVITY * depth)
    begin = 1e-6 * shore  # from the shoreline, where the equation is singular

    def rates(r, state):
        h = slope * (r - shore)
        amplitude, flux = state
        return [flux / (r * h), (m**2 * h / r - omega**2 * r / GRAVITY) * amplitude]

    first = -(omega**2) / (GRAVITY * slope)
    start = [1 + first * begin, (shore + begin) * slope * begin * first]
    ends = shore + begin, foot
    solved = solve_ivp(rates, ends, start, method="DOP853", rtol=1e-7, dense_output=True)
    inside, flux = solved.y[:, -1]
    outgoing, its_slope = hankel1(m, k * foot), k * h1vp(m, k * foot)
    wronskian = 2j / (np.pi * foot)
    scale = (1 if m == 0 else 2) * 1j**m * wronskian
    scale /= inside * its_slope - flux / (foot * depth) * outgoing
    return scale * solved.sol(np.maximum(radii, shore + begin))[0]

//go:build !amd64

package peak

import "github.com/bbgen/bbgen/runtime/cpu"

func flopsPerStep(cpu.Level) int { return 0 }

func multiplyAdd(cpu.Level, int) {}

const tilesPerStep = 4

func hasTiles(bool) bool { return false }

func multiplyTiles(bool, int) {}

//go:build !amd64

package peak

import "github.com/bbgen/bbgen/runtime/cpu"

func flopsPerStep(cpu.Level) int { return 0 }

func multiplyAdd(cpu.Level, int) {}

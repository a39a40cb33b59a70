//go:build !purego

package cpu

// bestLevel returns NEON, which every arm64 has.
func bestLevel() Level { return NEON }

//go:build !linux && !purego

package cpu

// allowTiles returns false: it is not tested whether this system saves tiles when it switches threads.
func allowTiles() bool { return false }

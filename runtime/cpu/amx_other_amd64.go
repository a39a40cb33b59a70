//go:build !linux && !purego

package cpu

// allowTiles returns false, as it is untested here whether tiles are kept when threads are switched.
func allowTiles() bool { return false }

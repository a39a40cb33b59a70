//go:build !linux && !purego

package cpu

// allowTiles reports false where nobody has tried whether tiles are kept when threads are switched.
func allowTiles() bool { return false }

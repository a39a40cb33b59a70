//go:build !unix && !windows

package peer

import "os"

const (
	modesCount = false
	unlinks    = false
)

// NB: without Flock two processes may use one state directory; the incarnations
// of the two disturb each other.
func lock(*os.File) error { return nil }

func syncDir(string) error { return nil }

func noRoom(error) bool { return false }

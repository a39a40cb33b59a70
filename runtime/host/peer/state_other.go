//go:build !unix && !windows

package peer

const (
	modesCount = false
	unlinks    = false
)

func syncDir(string) error { return nil }

func noRoom(error) bool { return false }

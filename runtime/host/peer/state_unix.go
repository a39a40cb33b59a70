//go:build unix

package peer

// modesCount says that the permission bits of files mean something here.
const modesCount = true

// unlinks says that a file may lose its name while it is open.
const unlinks = true

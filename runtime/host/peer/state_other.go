//go:build !unix

package peer

const modesCount = false

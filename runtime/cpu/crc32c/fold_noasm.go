//go:build !amd64 || purego

package crc32c

func hasFold() bool { return false }

func fold(*byte, int, uint32, *[4]uint64) uint32 { panic("BUG: there is no assembly") }

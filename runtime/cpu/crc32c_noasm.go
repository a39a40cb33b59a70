//go:build !amd64 || purego

package cpu

func hasCRCFold() bool { return false }

func crcFold(*byte, int, uint32, *[4]uint64) uint32 { panic("BUG: there is no assembly") }

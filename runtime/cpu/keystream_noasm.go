//go:build !amd64 || purego

package cpu

func hasKeystream() bool { return false }

func expandKey(*[176]byte, *[16]byte) { panic("BUG: there is no assembly") }

func addKeystream(*int32, int, *[176]byte, *[2]uint64, int32) { panic("BUG: there is no assembly") }

//go:build (!amd64 && !arm64) || purego

package cpu

func bestLevel() Level { return Portable }

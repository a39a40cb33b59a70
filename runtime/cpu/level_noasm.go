//go:build !amd64 || purego

package cpu

func bestLevel() Level { return Portable }

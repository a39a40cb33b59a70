//go:build !amd64

package main

func flopsPerStep() int { return 0 }

func multiplyAdd(steps int) {}

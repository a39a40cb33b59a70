//go:build !amd64

package peak

func flopsPerStep() int { return 0 }

func multiplyAdd(steps int) {}

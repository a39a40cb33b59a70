//go:build !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./yield -out ../pool_linux_amd64.s

// yield lets another thread have the processor, a worker perhaps that has a turn in hand.
func yield()

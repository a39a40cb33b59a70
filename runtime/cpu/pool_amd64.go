//go:build amd64 && !purego

package cpu

//go:generate env GOWORK=off go -C _asm run ./pool -out ../pool_amd64.s

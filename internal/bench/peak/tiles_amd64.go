package peak

import "golang.org/x/sys/cpu"

// tileConfig is the processor's layout of the shapes of tiles: eight of 16 rows of 64 bytes.
type tileConfig struct {
	palette byte
	_       [15]byte
	bytes   [16]uint16
	rows    [16]byte
}

func wholeTiles() *tileConfig {
	c := &tileConfig{palette: 1}
	for i := range 8 {
		c.bytes[i], c.rows[i] = 64, 16
	}
	return c
}

// tilesPerStep is the number of products of tiles in a step.
const tilesPerStep = 4

func hasTiles(halves bool) bool {
	if halves {
		return cpu.X86.HasAMXBF16
	}
	return cpu.X86.HasAMXInt8
}

func multiplyTiles(halves bool, steps int) {
	if halves {
		tilesAMXBF16(wholeTiles(), steps)
	} else {
		tilesAMX(wholeTiles(), steps)
	}
}

//go:noescape
func tilesAMX(c *tileConfig, steps int)

//go:noescape
func tilesAMXBF16(c *tileConfig, steps int)

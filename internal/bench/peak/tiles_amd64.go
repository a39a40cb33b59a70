package peak

import (
	"math/rand/v2"

	"golang.org/x/sys/cpu"
)

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

// tileData is what tiles are loaded from: two of rows and two of columns. The processor's clock is higher while it multiplies zeros
// than with data, by up to a third: zeros would be a peak that no product with a meaning reaches.
type tileData struct {
	operands [4][1024]byte
	sums     [16][16]uint32 // the product of the first tile of each, once for each step
}

// randomTiles returns operands that are any bytes, or any bfloat16 of magnitude 1 to 2.
func randomTiles(halves bool) *tileData {
	d := new(tileData)
	for i := range d.operands {
		tile := &d.operands[i]
		for j := range tile {
			tile[j] = byte(rand.Uint32())
			if halves && j%2 == 1 { // the sign and seven bits of the exponent, whose last one is in the byte before
				tile[j-1] |= 1 << 7
				tile[j] = tile[j]&(1<<7) | 0x3f
			}
		}
	}
	return d
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
		tilesAMXBF16(wholeTiles(), randomTiles(true), steps)
	} else {
		tilesAMX(wholeTiles(), randomTiles(false), steps)
	}
}

//go:noescape
func tilesAMX(c *tileConfig, d *tileData, steps int)

//go:noescape
func tilesAMXBF16(c *tileConfig, d *tileData, steps int)

package imagedec

import "encoding/binary"

// jp2 is a JPEG 2000 image.
type jp2 struct {
	grid, tile  jp2Rect // the image and the first tile, on the reference grid
	parts       []jp2Part
	coding      []jp2Coding // by component, unless a tile has its own
	layers, mct int
	progression int
	tiles       map[int]*jp2Tile
	ycc         bool
	bytes       int // of the codestream
	packets     int // the number of packets in its tiles, each of at least a byte
}

// jp2PerByte is the maximum number of samples per byte in images that are not empty. A file may have jp2Plain
// bytes more by this measure, as black areas need no bytes.
const (
	jp2PerByte = 1024
	jp2Plain   = 1 << 8
)

// jp2Rect is the points with x0 ≤ x < x1 and y0 ≤ y < y1.
type jp2Rect struct{ x0, y0, x1, y1 int }

func (r jp2Rect) empty() bool { return r.x0 >= r.x1 || r.y0 >= r.y1 }
func (r jp2Rect) width() int  { return r.x1 - r.x0 }

// div returns the points of r on a grid that is coarser by n in x and by m in y.
func (r jp2Rect) div(n, m int) jp2Rect {
	return jp2Rect{ceilDiv(r.x0, n), ceilDiv(r.y0, m), ceilDiv(r.x1, n), ceilDiv(r.y1, m)}
}

// cut returns the intersection of r and s.
func (r jp2Rect) cut(s jp2Rect) jp2Rect {
	return jp2Rect{max(r.x0, s.x0), max(r.y0, s.y0), min(r.x1, s.x1), min(r.y1, s.y1)}
}

// jp2Part is a component of the image.
type jp2Part struct {
	bits   int
	signed bool
	dx, dy int // distance of its samples on the reference grid
	rect   jp2Rect
	data   []int32
}

// jp2Coding is the coding parameters of a component.
type jp2Coding struct {
	levels         int
	blockX, blockY int // logarithms of a code block's size
	style          int
	reversible     bool
	precincts      [][2]int // logarithms of their sizes, by resolution
	markers        int      // there are markers around packet headers
	guard          int
	quant          int   // 0: none, 1: derived from the first, 2: each its own
	steps          []int // by band
}

func decodeJP2(data []byte) (*picture, error) {
	j := &jp2{tiles: map[int]*jp2Tile{}}
	if data[0] == 0xff {
		return j.decode(data)
	}
	var find func(data []byte, inside bool) []byte
	find = func(data []byte, inside bool) []byte {
		for len(data) >= 8 {
			n, head := int(binary.BigEndian.Uint32(data)), 8
			switch n {
			case 0:
				n = len(data)
			case 1:
				n, head = int(binary.BigEndian.Uint64(data[8:])), 16
			}
			n = min(max(n, head), len(data))
			body := data[head:n]
			switch string(data[4:8]) {
			case "jp2h":
				if inside { // else a file of many boxes, each in the one before, would need any depth of calls
					panic(errFormat)
				}
				find(body, true)
			case "pclr":
				panic(errFormat) // palettes are not supported
			case "colr":
				j.ycc = body[0] == 1 && binary.BigEndian.Uint32(body[3:]) == 18
			case "jp2c":
				return body
			}
			data = data[n:]
		}
		return nil
	}
	return j.decode(find(data, false))
}

// decode decodes a codestream.
func (j *jp2) decode(data []byte) (*picture, error) {
	j.bytes = len(data)
	var tile *jp2Tile
	for at, end := 2, 0; at+2 <= len(data); {
		m := binary.BigEndian.Uint16(data[at:])
		switch m {
		case 0xffd9:
			at = len(data)
			continue
		case 0xff93: // the data of a part of a tile
			tile.data = append(tile.data, data[at+2:min(end, len(data))]...)
			at, tile = end, nil
			continue
		}
		n := int(binary.BigEndian.Uint16(data[at+2:]))
		s := data[at+4 : at+2+n]
		if m == 0xff90 {
			i, size := int(binary.BigEndian.Uint16(s)), int(binary.BigEndian.Uint32(s[2:]))
			if end = at + size; size == 0 {
				end = len(data)
			}
			if end < at+14 {
				return nil, errFormat
			}
			if tile = j.tiles[i]; tile == nil {
				tile = &jp2Tile{index: i, coding: append([]jp2Coding{}, j.coding...), layers: j.layers, mct: j.mct, progression: j.progression}
				j.tiles[i] = tile
			}
		} else if err := j.marker(m, s, tile); err != nil {
			return nil, err
		}
		at += 2 + n
	}
	for _, t := range j.tiles {
		j.decodeTile(t)
	}
	return j.picture()
}

// marker reads a marker of the main header or, if tile is set, of a tile's.
func (j *jp2) marker(m uint16, s []byte, tile *jp2Tile) error {
	coding := j.coding
	if tile != nil {
		coding = tile.coding
	}
	switch m {
	case 0xff51:
		return j.size(s)
	case 0xff52:
		j.style(s, coding, tile)
	case 0xff53: // of one component
		i, rest := j.component(s)
		coding[i].read(rest[1:], rest[0]&1 != 0)
	case 0xff5c:
		for i := range coding {
			coding[i].quantize(s)
		}
	case 0xff5d:
		i, rest := j.component(s)
		coding[i].quantize(rest)
	case 0xff5e, 0xff5f, 0xff60, 0xff61: // regions, changes of order, headers elsewhere
		return errFormat
	}
	return nil
}

func (j *jp2) component(s []byte) (int, []byte) {
	if len(j.parts) > 256 {
		return int(s[0])<<8 | int(s[1]), s[2:]
	}
	return int(s[0]), s[1:]
}

// size reads the sizes of the image and its components.
func (j *jp2) size(s []byte) error {
	var v [8]int
	for i := range v {
		v[i] = int(binary.BigEndian.Uint32(s[2+4*i:]))
	}
	j.grid = jp2Rect{v[2], v[3], v[0], v[1]}
	j.tile = jp2Rect{v[6], v[7], v[6] + v[4], v[7] + v[5]}
	if j.grid.empty() || j.tile.empty() || j.tile.x0 > j.grid.x0 || j.tile.y0 > j.grid.y0 || j.parts != nil {
		return errFormat
	}
	if err := checkSize(j.grid.width(), j.grid.y1-j.grid.y0, jp2PerByte*16, jp2Plain+j.bytes); err != nil {
		return err
	}
	n := int(s[34])<<8 | int(s[35])
	samples := 0
	for i := range n {
		c := s[36+3*i:]
		p := jp2Part{bits: int(c[0]&127) + 1, signed: c[0]>>7 != 0, dx: int(c[1]), dy: int(c[2])}
		if p.dx < 1 || p.dy < 1 || p.bits > 24 || n > 16 {
			return errFormat
		}
		p.rect = j.grid.div(p.dx, p.dy)
		samples += p.rect.width() * (p.rect.y1 - p.rect.y0)
		if err := plausible(samples, jp2PerByte, jp2Plain+j.bytes); err != nil {
			return err
		}
		p.data = make([]int32, p.rect.width()*(p.rect.y1-p.rect.y0))
		j.parts = append(j.parts, p)
	}
	j.coding = make([]jp2Coding, n)
	return nil
}

// style reads the coding parameters of components.
func (j *jp2) style(s []byte, coding []jp2Coding, tile *jp2Tile) {
	progression, layers, mct := int(s[1]), int(s[2])<<8|int(s[3]), int(s[4])
	if tile != nil {
		tile.progression, tile.layers, tile.mct = progression, layers, mct
	} else {
		j.progression, j.layers, j.mct = progression, layers, mct
	}
	for i := range coding {
		coding[i].markers = int(s[0] >> 1)
		coding[i].read(s[5:], s[0]&1 != 0)
	}
}

func (c *jp2Coding) read(s []byte, precincts bool) {
	c.levels, c.blockX, c.blockY = int(s[0]), int(s[1]&15)+2, int(s[2]&15)+2
	c.style, c.reversible = int(s[3]), s[4] == 1
	if c.levels > 32 || c.blockX+c.blockY > 12 {
		panic(errFormat)
	}
	c.precincts = make([][2]int, c.levels+1)
	for i := range c.precincts {
		c.precincts[i] = [2]int{15, 15}
		if precincts {
			c.precincts[i] = [2]int{int(s[5+i] & 15), int(s[5+i] >> 4)}
		}
	}
}

func (c *jp2Coding) quantize(s []byte) {
	c.quant, c.guard = int(s[0]&31), int(s[0]>>5)
	c.steps = nil
	for s = s[1:]; len(s) > 0; {
		if c.quant == 0 {
			c.steps = append(c.steps, int(s[0]>>3)<<11)
			s = s[1:]
		} else {
			c.steps = append(c.steps, int(s[0])<<8|int(s[1]))
			s = s[2:]
		}
	}
}

// picture converts the components to pixels.
func (j *jp2) picture() (*picture, error) {
	g := j.grid
	p, err := newPicture(g.width(), g.y1-g.y0)
	if err != nil {
		return nil, err
	}
	var c [3]*jp2Part
	for i := range c {
		c[i] = &j.parts[0]
		if len(j.parts) >= 3 {
			c[i] = &j.parts[i]
		}
	}
	for i := range p.width * p.height {
		x, y := g.x0+i%p.width, g.y0+i/p.width
		r, g, b := c[0].at(x, y), c[1].at(x, y), c[2].at(x, y)
		if j.ycc && len(j.parts) >= 3 {
			r, g, b = ycc(int(r), int(g)-128, int(b)-128)
		}
		p.set(i, r, g, b)
	}
	return p, nil
}

// at returns the sample at a place on the reference grid, in 8 bits.
func (p *jp2Part) at(x, y int) uint8 {
	x, y = min(x/p.dx, p.rect.x1-1), min(y/p.dy, p.rect.y1-1)
	v := int(p.data[max(y-p.rect.y0, 0)*p.rect.width()+max(x-p.rect.x0, 0)])
	if p.signed {
		v += 1 << (p.bits - 1)
	}
	if p.bits < 8 {
		return clamp(v << (8 - p.bits))
	}
	return clamp(v >> (p.bits - 8))
}

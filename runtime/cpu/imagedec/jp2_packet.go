package imagedec

// tagTree encodes an array of numbers by the minima of larger and larger squares.
type tagTree struct {
	widths []int // by height in the tree, leaves first
	nodes  [][]tagNode
}

type tagNode struct {
	value int // a lower bound
	known bool
}

func (t *tagTree) init(w, h int) {
	for {
		t.widths = append(t.widths, w)
		t.nodes = append(t.nodes, make([]tagNode, w*h))
		if w*h <= 1 {
			return
		}
		w, h = (w+1)/2, (h+1)/2
	}
}

// below reports whether the number of a leaf is below a limit.
func (t *tagTree) below(b *packetBits, x, y, limit int) bool {
	least := 0
	for k := len(t.nodes) - 1; k >= 0; k-- {
		n := &t.nodes[k][y>>k*t.widths[k]+x>>k]
		n.value = max(n.value, least)
		for !n.known && n.value < limit {
			if b.bit() == 1 {
				n.known = true
			} else {
				n.value++
			}
		}
		least = n.value
	}
	n := &t.nodes[0][y*t.widths[0]+x]
	return n.known && n.value < limit
}

// packetBits reads the header of a packet. After a byte of ones, the next one has seven bits.
type packetBits struct {
	data []byte
	at   int
	acc  byte
	left int
}

func (b *packetBits) bit() int {
	if b.left == 0 {
		b.left = 8
		if b.acc == 0xff {
			b.left = 7
		}
		b.acc = b.data[b.at]
		b.at++
	}
	b.left--
	return int(b.acc>>b.left) & 1
}

func (b *packetBits) number(n int) int {
	v := 0
	for range n {
		v = v<<1 | b.bit()
	}
	return v
}

// end returns the position after the header.
func (b *packetBits) end() int {
	if b.acc == 0xff {
		b.at++
	}
	return b.at
}

// passes reads the number of coding passes that follow.
func (b *packetBits) passes() int {
	if b.bit() == 0 {
		return 1
	}
	if b.bit() == 0 {
		return 2
	}
	if n := b.number(2); n < 3 {
		return 3 + n
	}
	if n := b.number(5); n < 31 {
		return 6 + n
	}
	return 37 + b.number(7)
}

// packets appends the data of a tile to its code blocks. Of a truncated file it uses the packets that exist.
func (t *jp2Tile) packets(levels [][]*jp2Level) {
	var packets []jp2Packet
	for _, part := range levels {
		for _, l := range part {
			for i := range l.precincts {
				for k := range t.layers {
					packets = append(packets, jp2Packet{k, i, l})
				}
			}
		}
	}
	t.order(packets)
	rest := t.data
	for _, p := range packets {
		c := &t.coding[p.level.component]
		if len(rest) == 0 {
			return
		}
		rest = p.read(rest, c)
	}
}

// read reads one packet and returns the data after it.
func (p *jp2Packet) read(data []byte, c *jp2Coding) []byte {
	if c.markers&1 != 0 && len(data) > 6 && data[0] == 0xff && data[1] == 0x91 {
		data = data[6:]
	}
	b := &packetBits{data: data}
	bands := p.level.precincts[p.index].bands
	any := b.bit() == 1
	for i := range bands {
		s := &bands[i]
		for k := range s.blocks {
			s.blocks[k].due = nil
			if any {
				s.header(b, k, p.layer, c.style)
			}
		}
	}
	data = data[b.end():]
	if c.markers&2 != 0 && len(data) >= 2 && data[0] == 0xff && data[1] == 0x92 {
		data = data[2:]
	}
	for i := range bands {
		for k := range bands[i].blocks {
			block := &bands[i].blocks[k]
			for _, d := range block.due {
				n := min(d.length, len(data))
				s := &block.segments[d.segment]
				s.data = append(s.data, data[:n]...)
				s.passes += d.passes
				data = data[n:]
			}
		}
	}
	return data
}

// header reads the part of a packet's header for one block.
func (s *jp2Blocks) header(b *packetBits, k, layer, style int) {
	block := &s.blocks[k]
	x, y := k%s.across, k/s.across
	if block.passes > 0 {
		if b.bit() == 0 {
			return
		}
	} else {
		if !s.included.below(b, x, y, layer+1) {
			return
		}
		zeroes := 0
		for !s.zeroes.below(b, x, y, zeroes+1) {
			zeroes++
		}
		block.planes = s.band.planes - zeroes
	}
	n := b.passes()
	for b.bit() == 1 {
		block.lengthBits++
	}
	for n > 0 {
		room := segmentRoom(block.passes, style)
		if room.begins || len(block.segments) == 0 {
			block.segments = append(block.segments, jp2Segment{raw: room.raw})
		}
		take := min(n, room.passes)
		length := b.number(block.lengthBits + log2(take))
		block.due = append(block.due, jp2Due{len(block.segments) - 1, take, length})
		block.passes += take
		n -= take
	}
}

// room is the number of passes in a segment, from a pass on.
type room struct {
	begins bool // the pass is its first
	passes int  // the number of passes
	raw    bool
}

// segmentRoom returns the room from a pass on. Each pass is terminated, or runs of passes if some bypass the
// arithmetic coder, or none.
func segmentRoom(pass, style int) room {
	raw := style&styleBypass != 0 && pass >= 10 && pass%3 != 0
	switch {
	case style&styleTerminate != 0:
		return room{true, 1, raw}
	case style&styleBypass == 0:
		return room{pass == 0, 1 << 30, false}
	case pass < 10:
		return room{pass == 0, 10 - pass, false}
	case raw:
		return room{pass%3 == 1, 3 - pass%3, true}
	}
	return room{true, 1, false}
}

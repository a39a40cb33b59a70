package imagedec

// vp8 is a key frame of VP8, the lossy kind of WebP.
type vp8 struct {
	width, height int
	across, down  int // macroblocks
	first         *boolReader
	parts         []*boolReader // of coefficients; rows of macroblocks use them in turn
	segmented     bool
	segmentMap    bool
	segmentProbs  [3]uint8
	absolute      bool // the values of segments replace the others instead of being added
	segmentQuant  [4]int
	segmentLevel  [4]int
	simple        bool // the simple loop filter
	level, sharp  int
	modeDelta     int // added to the level of macroblocks with modes of subblocks
	frameDelta    int // added to the level of key frames
	quants        [4]vp8Quant
	chances       vp8Chances
	skipProb      uint8
	skips         bool

	y, u, v     vp8Plane
	above, left []uint8 // modes of subblocks
	nzAbove     []uint8 // whether blocks had coefficients: 4 luma, 2 and 2 chroma, 1 of the DC coefficients
	nzLeft      [9]uint8
	edges       []vp8Edge
}

// vp8Quant is the factors of one segment's coefficients: of the first one and of the others.
type vp8Quant struct{ y, y2, uv [2]int }

// vp8Plane is a plane with a border above, to the left and to the right.
type vp8Plane struct {
	pix    []uint8
	stride int
	at     int // the first pixel inside
}

func newVP8Plane(w, h int) vp8Plane {
	p := vp8Plane{stride: w + 8, at: w + 8 + 4}
	p.pix = make([]uint8, p.stride*(h+1)+8)
	for i := range p.stride {
		p.pix[i] = 127
	}
	for y := range h {
		p.pix[p.at+y*p.stride-1] = 129
	}
	return p
}

// vp8PerByte is the maximum number of pixels for each byte: 256 need about three bits, for the mode of their
// prediction.
const vp8PerByte = 1024

func decodeVP8(data []byte) (*picture, error) {
	if len(data) < 10 || data[0]&1 != 0 || string(data[3:6]) != "\x9d\x01\x2a" {
		return nil, errFormat
	}
	d := &vp8{width: int(data[7])<<8&0x3f00 | int(data[6]), height: int(data[9])<<8&0x3f00 | int(data[8])}
	if err := checkSize(d.width, d.height, vp8PerByte, len(data)); err != nil {
		return nil, err
	}
	p, err := newPicture(d.width, d.height)
	if err != nil {
		return nil, err
	}
	d.across, d.down = ceilDiv(d.width, 16), ceilDiv(d.height, 16)
	size := int(data[0])>>5 | int(data[1])<<3 | int(data[2])<<11
	d.first = newBoolReader(data[10:][:size])
	d.header(data[10+size:])
	d.y = newVP8Plane(16*d.across, 16*d.down)
	d.u, d.v = newVP8Plane(8*d.across, 8*d.down), newVP8Plane(8*d.across, 8*d.down)
	d.above, d.left = make([]uint8, 4*d.across), make([]uint8, 4)
	d.nzAbove = make([]uint8, 9*d.across)
	d.edges = make([]vp8Edge, d.across*d.down)
	for my := range d.down {
		clear(d.left)
		d.nzLeft = [9]uint8{}
		for mx := range d.across {
			d.macroblock(mx, my)
		}
	}
	d.filter()
	d.colors(p)
	return p, nil
}

// header reads the data before the macroblocks. rest is the data after the first partition.
func (d *vp8) header(rest []byte) {
	b := d.first
	b.number(2) // color space, clamping
	if d.segmented = b.flag(); d.segmented {
		d.segments()
	}
	d.simple = b.flag()
	d.level, d.sharp = b.number(6), b.number(3)
	adjust := b.flag()
	if adjust && b.flag() {
		for i := range 8 {
			v := b.optional(6)
			switch i {
			case 0:
				d.frameDelta = v
			case 4:
				d.modeDelta = v
			}
		}
	}
	n := 1 << b.number(2)
	sizes := rest[:3*(n-1)]
	rest = rest[3*(n-1):]
	for i := range n {
		part := rest
		if i < n-1 {
			part = rest[:int(sizes[3*i])|int(sizes[3*i+1])<<8|int(sizes[3*i+2])<<16]
		}
		d.parts = append(d.parts, newBoolReader(part))
		rest = rest[len(part):]
	}
	d.quantizers()
	b.flag() // whether later frames keep the probabilities
	d.chances = vp8Default
	for i := range d.chances {
		for j := range d.chances[i] {
			for k := range d.chances[i][j] {
				for l := range d.chances[i][j][k] {
					if b.bit(vp8Update[i][j][k][l]) == 1 {
						d.chances[i][j][k][l] = uint8(b.number(8))
					}
				}
			}
		}
	}
	if d.skips = b.flag(); d.skips {
		d.skipProb = uint8(b.number(8))
	}
}

// segments reads the differences of segments.
func (d *vp8) segments() {
	b := d.first
	d.segmentMap = b.flag()
	if b.flag() {
		d.absolute = b.flag()
		for i := range d.segmentQuant {
			d.segmentQuant[i] = b.optional(7)
		}
		for i := range d.segmentLevel {
			d.segmentLevel[i] = b.optional(6)
		}
	}
	if d.segmentMap {
		for i := range d.segmentProbs {
			d.segmentProbs[i] = 255
			if b.flag() {
				d.segmentProbs[i] = uint8(b.number(8))
			}
		}
	}
}

func (d *vp8) quantizers() {
	b := d.first
	base := b.number(7)
	var delta [5]int // of luma's first, of the DC coefficients' first and others, of chroma's first and others
	for i := range delta {
		delta[i] = b.optional(4)
	}
	for i := range d.quants {
		q := base
		if d.segmented {
			q = d.segmentQuant[i]
			if !d.absolute {
				q += base
			}
		}
		at := func(delta int) int { return min(max(q+delta, 0), 127) }
		d.quants[i] = vp8Quant{
			y:  [2]int{int(vp8DC[at(delta[0])]), int(vp8AC[at(0)])},
			y2: [2]int{2 * int(vp8DC[at(delta[1])]), max(int(vp8AC[at(delta[2])])*155/100, 8)},
			uv: [2]int{min(int(vp8DC[at(delta[3])]), 132), int(vp8AC[at(delta[4])])},
		}
	}
}

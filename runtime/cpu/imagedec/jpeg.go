package imagedec

// There is a decoder here because the pixels must be those of libjpeg: its inverse transform in integers, and
// its interpolation of chroma.

// jpegFile is a JPEG file, sequential or progressive.
type jpegFile struct {
	data          []byte
	width, height int
	progressive   bool
	parts         []*jpegPart
	hmax, vmax    int
	across, down  int // units of all components
	quant         [4][64]int32
	tables        [2][4]huffman // DC and AC
	restart       int           // units between markers; 0: none
	visits        int           // the number of blocks that scans may still read
	adobe         int           // the color transform in an Adobe marker, -1 without one
	jfif          bool          // three components are luma and chroma, whatever else the file says
	bits          bitReader
	run           int // the number of following blocks without coefficients
}

// jpegPart is a component of the image.
type jpegPart struct {
	id, h, v, table int
	across, down    int // blocks of the component
	stride          int // blocks in a row in memory
	coefs           []int16
	dc, ac          *huffman
	last            int // the last DC coefficient
}

// maxScans is the maximum number of scans of all components in a file: a progressive one has about ten.
const maxScans = 64

// Markers of a JPEG file.
const (
	mSOF0 = 0xc0 // sequential
	mSOF1 = 0xc1 // sequential, too
	mSOF2 = 0xc2 // progressive
	mDHT  = 0xc4
	mEOI  = 0xd9
	mSOS  = 0xda
	mDQT  = 0xdb
	mDRI  = 0xdd
	mAPP0 = 0xe0
	mAPPE = 0xee
)

func decodeJPEG(data []byte) (*picture, error) {
	j := &jpegFile{data: data, adobe: -1}
	at := 2
	for {
		for at < len(data) && data[at] != 0xff {
			at++ // skips the data of a scan
		}
		for at < len(data) && data[at] == 0xff {
			at++
		}
		if at+3 > len(data) {
			break // truncated: the present data are used
		}
		m := data[at]
		at++
		if m == mEOI {
			break
		}
		if m == 0 || m >= 0xd0 && m <= 0xd7 || m == 1 {
			continue
		}
		n := int(data[at])<<8 | int(data[at+1])
		seg := data[at+2 : at+n]
		at += n
		if err := j.segment(m, seg); err != nil {
			return nil, err
		}
		if m == mSOS {
			j.bits = bitReader{data: data, at: at}
			if err := j.scan(seg); err != nil {
				return nil, err
			}
			at = j.bits.at
		}
	}
	if j.parts == nil {
		return nil, errFormat
	}
	return j.picture()
}

// segment reads the segment of a marker.
func (j *jpegFile) segment(m byte, s []byte) error {
	switch {
	case m == mSOF0 || m == mSOF1 || m == mSOF2:
		j.progressive = m == mSOF2
		return j.frame(s)
	case m == mDHT:
		for len(s) > 0 {
			t := &j.tables[s[0]>>4&1][s[0]&3]
			s = t.init(s[1:])
		}
	case m >= mSOF0 && m <= 0xcf && m != 0xc8 && m != 0xcc:
		return errFormat // lossless, hierarchical, or arithmetically coded
	case m == mDQT:
		for len(s) > 0 {
			q := &j.quant[s[0]&3]
			wide := s[0]>>4 != 0
			s = s[1:]
			for i := range q {
				if wide {
					q[zigzag[i]] = int32(s[0])<<8 | int32(s[1])
					s = s[2:]
				} else {
					q[zigzag[i]] = int32(s[0])
					s = s[1:]
				}
			}
		}
	case m == mDRI:
		j.restart = int(s[0])<<8 | int(s[1])
	case m == mAPP0 && len(s) >= 14 && string(s[:5]) == "JFIF\x00":
		j.jfif = true
	case m == mAPPE && len(s) >= 12 && string(s[:5]) == "Adobe":
		j.adobe = int(s[11])
	}
	return nil
}

// frame reads the sizes of the image and of its components.
func (j *jpegFile) frame(s []byte) error {
	n := int(s[5])
	if s[0] != 8 || j.parts != nil || n != 1 && n != 3 && n != 4 {
		return errFormat
	}
	j.height, j.width = int(s[1])<<8|int(s[2]), int(s[3])<<8|int(s[4])
	if err := checkSize(j.width, j.height, 8*64, len(j.data)); err != nil {
		return err
	}
	var parts []*jpegPart
	for i := range n {
		p := &jpegPart{id: int(s[6+3*i]), h: int(s[7+3*i] >> 4), v: int(s[7+3*i] & 15), table: int(s[8+3*i] & 3)}
		if p.h < 1 || p.h > 4 || p.v < 1 || p.v > 4 {
			return errFormat
		}
		j.hmax, j.vmax = max(j.hmax, p.h), max(j.vmax, p.v)
		parts = append(parts, p)
	}
	j.across, j.down = ceilDiv(j.width, 8*j.hmax), ceilDiv(j.height, 8*j.vmax)
	blocks := 0
	for _, p := range parts {
		if j.hmax%p.h != 0 || j.vmax%p.v != 0 {
			return errFormat
		}
		blocks += j.across * j.down * p.h * p.v // no overflow: there are enough pixels
	}
	if err := plausible(blocks, 8, len(j.data)); err != nil { // each has a bit in the first scan
		return err
	}
	j.visits = maxScans * blocks
	for _, p := range parts {
		p.across, p.down = ceilDiv(ceilDiv(j.width*p.h, j.hmax), 8), ceilDiv(ceilDiv(j.height*p.v, j.vmax), 8)
		p.stride = j.across * p.h
		p.coefs = make([]int16, 64*p.stride*j.down*p.v)
	}
	j.parts = parts
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// picture converts the coefficients to pixels.
func (j *jpegFile) picture() (*picture, error) {
	p, err := newPicture(j.width, j.height)
	if err != nil {
		return nil, err
	}
	planes := make([]plane, len(j.parts))
	rows := make([][]uint8, len(j.parts))
	for i, c := range j.parts {
		sx, sy := j.hmax/c.h, j.vmax/c.v
		planes[i] = plane{
			data: c.samples(&j.quant[c.table]), stride: 8 * c.stride,
			width: ceilDiv(j.width, sx), height: ceilDiv(j.height, sy), sx: sx, sy: sy,
		}
		rows[i] = make([]uint8, planes[i].width*sx)
	}
	sums := make([]int, j.width)
	for y := range j.height {
		for i := range planes {
			planes[i].row(rows[i], sums[:planes[i].width], y)
		}
		for x := range j.width {
			r, g, b := j.color(rows, x)
			p.set(y*j.width+x, r, g, b)
		}
	}
	return p, nil
}

// color returns the color of a pixel of a row.
func (j *jpegFile) color(rows [][]uint8, x int) (r, g, b uint8) {
	if len(rows) == 1 {
		return rows[0][x], rows[0][x], rows[0][x]
	}
	r, g, b = rows[0][x], rows[1][x], rows[2][x]
	named := j.parts[0].id == 'R' && j.parts[1].id == 'G' && j.parts[2].id == 'B'
	if j.adobe > 0 || len(rows) == 3 && (j.jfif || j.adobe < 0 && !named) {
		r, g, b = ycc(int(r), int(g)-128, int(b)-128)
	}
	if len(rows) == 4 { // CMYK, which Adobe stores inverted
		k := int(rows[3][x])
		if j.adobe < 0 {
			r, g, b, k = 255-r, 255-g, 255-b, 255-k
		}
		r, g, b = inked(int(r), k), inked(int(g), k), inked(int(b), k)
	}
	return r, g, b
}

// inked returns what an ink and black leave of a color. Both are stored inverted. What the ink takes away is rounded, as
// Pillow does.
func inked(ink, black int) uint8 { return uint8(black - ((255-ink)*black+127)/255) }

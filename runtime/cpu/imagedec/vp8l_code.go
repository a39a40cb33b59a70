package imagedec

// prefixCode is a code of up to 15 bits, whose first bit is the lowest.
type prefixCode struct {
	counts  [16]int
	symbols []int // by length, then by value
	single  bool  // one symbol without bits
}

// read reads a code for n symbols.
func (c *prefixCode) read(d *vp8l, n int) {
	lengths := make([]int, n)
	if d.bits(1) == 1 {
		two := d.bits(1) == 1
		lengths[d.bits(1+7*d.bits(1))] = 1
		if two {
			lengths[d.bits(8)] = 1
		}
	} else {
		c.readLengths(d, lengths)
	}
	c.init(lengths)
}

// init computes the code from the lengths of its symbols.
func (c *prefixCode) init(lengths []int) {
	for _, l := range lengths {
		if l > 0 {
			c.counts[l]++
		}
	}
	for l := 1; l < 16; l++ {
		for s, k := range lengths {
			if k == l {
				c.symbols = append(c.symbols, s)
			}
		}
	}
	c.single = len(c.symbols) == 1
	if len(c.symbols) == 0 {
		panic(errFormat)
	}
}

// readLengths reads the lengths of the symbols, which are encoded themselves.
func (c *prefixCode) readLengths(d *vp8l, lengths []int) {
	var inner prefixCode
	var first [19]int
	order := [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	for _, i := range order[:d.bits(4)+4] {
		first[i] = d.bits(3)
	}
	inner.init(first[:])
	left := len(lengths)
	if d.bits(1) == 1 {
		left = 2 + d.bits(2+2*d.bits(3))
	}
	last := 8
	for i := 0; i < len(lengths) && left > 0; left-- {
		l, times := inner.symbol(d), 1
		switch l {
		case 16:
			l, times = last, 3+d.bits(2)
		case 17:
			l, times = 0, 3+d.bits(3)
		case 18:
			l, times = 0, 11+d.bits(7)
		}
		if l > 0 {
			last = l
		}
		for range times {
			lengths[i] = l
			i++
		}
	}
}

// symbol reads one symbol.
func (c *prefixCode) symbol(d *vp8l) int {
	if c.single {
		return c.symbols[0]
	}
	code, first, at := 0, 0, 0
	for _, n := range c.counts[1:] {
		code |= d.bits(1)
		if code-first < n {
			return c.symbols[at+code-first]
		}
		at += n
		first, code = (first+n)<<1, code<<1
	}
	panic(errFormat)
}

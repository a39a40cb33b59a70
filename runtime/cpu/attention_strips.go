package cpu

import "math"

// stripTask is the task of an [Attention] of float32 that computes a strip of queries of a head after the other: their scores with
// all keys, which stay in L1, the softmax of these, and then the products with the values. A turn is some strips of the heads that
// have the same keys and values, which it packs once. The strips depend neither on the threads nor on the turns.
type stripTask struct {
	attention[float32]
	strips int    // of a head
	tileAt shares // the first tile of each strip
	rowAt  shares // the first query of each tile, which are the rows of one micro-kernel
}

var stripTasks freelist[stripTask]

// A strip has tiles of at most stripMost queries: with several, a panel of keys or values is read while it is in L1. It has at
// most stripSeen if queries see up to different keys, of which there are few, as it computes the scores of all keys that any of its
// queries sees.
const (
	stripMost, stripSeen = 28, 14 // at most maxStairs
	stripFewKeys         = 512
)

// tilesOfStrip returns the maximum number of tiles of a strip.
func (o *Attn) tilesOfStrip() int {
	if (o.Causal || o.Right >= 0) && o.Keys < stripFewKeys {
		return stripSeen / tileRows()
	}
	return stripMost / tileRows()
}

// inStrips reports whether an attention of float32 without scores as a result is computed in strips.
func (o *Attn) inStrips() bool {
	return o.Left < 0 && o.Queries >= few && o.Keys > 0 && o.KeySize > 0 && o.ValueSize > 0
}

// attendInStrips is [Attention] where it is inStrips.
func attendInStrips(y []float32, in AttnIn[float32], o Attn) {
	s := stripTasks.get()
	*s = stripTask{attention: attention[float32]{o, y, nil, in.Q, in.K, in.V, in.Mask, in.Allow, in.Valid, nil, 1}}
	turns := s.divide()
	parallel(turns, o.cost(), s)
	*s = stripTask{}
	stripTasks.put(s)
}

// divide computes the numbers of strips and turns. With several threads there are some turns for each, but none of fewer queries
// than a strip or attnLeast, as each packs its keys.
func (s *stripTask) divide() (turns int) {
	most := s.tilesOfStrip()
	tiles := (s.Queries + tileRows() - 1) / tileRows()
	s.strips = (tiles + most - 1) / most
	s.tileAt, s.rowAt = sharesOf(tiles, s.strips), sharesOf(s.Queries, tiles)
	if t := Threads(); t > 1 {
		least := max(1, attnLeast/(most*tileRows()))
		s.blocks = max(1, min(3*t/(s.Batch*s.KVHeads), s.group()*s.strips/least))
	}
	return s.Batch * s.KVHeads * s.blocks
}

// group returns the number of heads of queries that have the same keys.
func (o *Attn) group() int { return o.Heads / o.KVHeads }

func (s *stripTask) run(i int) {
	t := stripTurn{stripTask: s}
	head, block := i/s.blocks, i%s.blocks
	t.b, t.kv = head/s.KVHeads, head%s.KVHeads
	strips := s.group() * s.strips
	from, to := block*strips/s.blocks, (block+1)*strips/s.blocks
	lent := t.pack(t.reachOf(from, to))
	for ; from < to; from++ {
		t.strip(t.kv*s.group()+from/s.strips, from%s.strips)
	}
	scratch.put(lent)
}

// stripTurn is a turn of a stripTask.
type stripTurn struct {
	*stripTask
	b, kv  int       // the sample, and the head of keys and values
	k, v   []float32 // packed keys, which are transposed and scaled, and packed values
	ldv    int       // from one row of the values to the next
	ldp    int       // from one panel of the values to the next
	s      []float32 // the scores of a strip
	lds    int       // from those of one query to those of the next
	q      []float32 // the queries of a strip, if they are copied
	t0, t1 int       // the tiles of the strip
	stairs stairs
	c      gemmTile
}

// reachOf returns the end of the keys that any query of strips from to to-1 sees. A later query of a head sees no fewer.
func (t *stripTurn) reachOf(from, to int) int {
	last := t.strips - 1
	if from/t.strips == (to-1)/t.strips {
		last = (to - 1) % t.strips
	}
	_, hi := t.window(t.b, t.rowAt.first(t.tileAt.first(last+1))-1)
	return hi
}

// pack packs the first keys and values, and returns the memory that must be given back.
func (t *stripTurn) pack(width int) (lent []float32) {
	k, v := t.keys(t.attention.k, t.b, t.kv), t.values(t.attention.v, t.b, t.kv)
	inPlace := t.ValueSize < panel && t.ValueSize%leastColumns(false) == 0
	lent = t.makeRoom(width, inPlace)
	t.packKeys(k, width)
	if inPlace {
		t.v, t.ldv, t.ldp = v.x, v.step, panel
		return lent
	}
	t.ldv, t.ldp = panel, panel*width
	for j := 0; j < t.ValueSize; j += panel {
		packPanel(t.v[j*width:][:panel*width], v.x[j:], width, min(panel, t.ValueSize-j), v.step)
	}
	return lent
}

// makeRoom allocates memory for some packed keys and values, for scores, and for queries if their distance is a multiple of a page:
// they would be in the same few sets of L1.
func (t *stripTurn) makeRoom(width int, inPlace bool) (lent []float32) {
	t.lds = (width+15)/16*16 | 16 // an odd number of cache lines: rows are spread over all sets of L1
	rows := t.tilesOfStrip() * tileRows()
	sizes := [...]int{PackB32Size(t.KeySize, width), PackB32Size(width, t.ValueSize), rows * t.lds, 0}
	if inPlace {
		sizes[1] = 0
	}
	if t.stepQ()%1024 == 0 {
		sizes[3] = rows * t.ldq()
	}
	lent = scratch.get(sizes[0] + sizes[1] + sizes[2] + sizes[3])
	rest := lent
	for i, part := range []*[]float32{&t.k, &t.v, &t.s, &t.q} {
		*part, rest = rest[:sizes[i]], rest[sizes[i]:]
	}
	return lent
}

// packKeys packs the first keys, transposed and scaled.
func (t *stripTurn) packKeys(k tokens[float32], width int) {
	for j := 0; j < width; j += panel {
		p := t.k[j*t.KeySize:][:panel*t.KeySize]
		packPanelT(p, k.x[j*k.step:], t.KeySize, min(panel, width-j), k.step)
		if scale := float32(t.Scale); scale != 1 {
			VecMulS32(p, p, scale)
		}
	}
}

// stepQ returns the distance of the queries of a head.
func (o *Attn) stepQ() int {
	if o.QStep == 0 {
		return o.KeySize
	}
	return o.QStep
}

// ldq returns the distance of the copied queries of a strip.
func (o *Attn) ldq() int { return (o.KeySize+15)/16*16 | 16 }

// strip computes a strip of head h.
func (t *stripTurn) strip(h, strip int) {
	t.t0, t.t1 = t.tileAt.first(strip), t.tileAt.first(strip+1)
	first := t.rowAt.first(t.t0)
	n := t.rowAt.first(t.t1) - first
	_, width := t.window(t.b, first+n-1)
	step := 0
	if t.PackedY {
		step = t.Heads * t.ValueSize
	}
	y := t.tokens(t.y, t.b, h, t.Heads, t.Queries, t.ValueSize, step, 0).from(first)
	if width == 0 {
		for i := range n {
			clear(y.token(i, t.ValueSize))
		}
		return
	}
	t.scores(h, first, n, width)
	t.softmax(h, first, n, width)
	c := &t.c
	c.lda, c.ldb, c.ldc, c.k = t.lds, t.ldv, y.step, width
	t.product(y.x, t.s, t.v, t.ValueSize, t.ldp)
}

// scores computes the scores of n queries of head h and the first keys.
func (t *stripTurn) scores(h, first, n, width int) {
	q := t.tokens(t.attention.q, t.b, h, t.Heads, t.Queries, t.KeySize, t.QStep, t.QAt).from(first)
	c := &t.c
	c.lda, c.ldb, c.ldc, c.k = q.step, panel, t.lds, t.KeySize
	if len(t.q) > 0 {
		copyRows(t.q, q.x, t.KeySize, n, t.ldq(), q.step)
		q.x, c.lda = t.q, t.ldq()
	}
	t.product(t.s, q.x, t.k, width, panel*t.KeySize)
	if x := t.s[:(n-1)*t.lds+width]; t.Softcap > 0 {
		scaleShift(x, x, float32(1/t.Softcap), 0)
		Tanh(x, x)
		scaleShift(x, x, float32(t.Softcap), 0)
	}
}

// product computes n columns of the strip's rows of dst = a·b, where t.c has all but rows, columns and places, and panels of b are
// ldp apart.
func (t *stripTurn) product(dst, a, b []float32, n, ldp int) {
	c := &t.c
	r0 := t.rowAt.first(t.t0)
	for j := 0; j < n; j += panel {
		for i := t.t0; i < t.t1; i++ {
			r := t.rowAt.first(i) - r0
			c.rows, c.cols = t.rowAt.first(i+1)-r0-r, min(panel, n-j)
			c.a, c.b, c.c = a[r*c.lda:], b[j/panel*ldp:], dst[r*c.ldc+j:]
			c.run()
		}
	}
}

// softmax turns the scores of n queries of head h into probabilities.
func (t *stripTurn) softmax(h, first, n, width int) {
	s := &t.stairs
	s.x, s.rows, s.n, s.step, s.seen, s.more = t.s, n, width, t.lds, width, 0
	if t.Causal || t.Right >= 0 {
		s.seen, s.more = t.sees(t.b, first), 1
	}
	s.floor = float32(math.Inf(-1))
	if t.masked() {
		s.floor = -math.MaxFloat32
	}
	if t.mask != nil {
		s.mask, s.maskStep = t.mask[t.maskAt(t.b, h, first):], 0
		if t.MaskQueries > 1 {
			s.maskStep = t.MaskKeys
		}
	}
	for i := 0; i < n && t.allow != nil; i++ {
		t.applyMask(t.s[i*t.lds:][:width], 0, t.b, h, first+i)
	}
	s.compute()
}

package train

import (
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The size in bytes of the buckets in which peers sum gradients: a part of all gradients, so that the first
// buckets are sent early, but large enough that the round trip of a sum does not matter.
const (
	bucketPart     = 8
	minBucketBytes = 64 << 10
	maxBucketBytes = 1 << 20
)

// bucketBytesOf returns the size of the buckets for gradients. With a codec each bucket needs a lane of its
// own, and there are few lanes: then there is no upper bound.
func bucketBytesOf(gradients []model.Variable, c collective.Codec) (bytes int) {
	for _, v := range gradients {
		bytes += 4 * v.Value.Len()
	}
	if bytes = max(bytes/bucketPart, minBucketBytes); c == collective.Exact {
		bytes = min(bytes, maxBucketBytes)
	}
	return bytes
}

// exchange computes the mean of one step's gradients over all peers. It sums them in buckets, several at a
// time, while other gradients are still computed. All peers run the same code, so that the same gradients are
// complete in the same order on each.
//
// The last bucket is sent when the backward pass ends, while others are still summed. Each sum tells which peers are part of
// it, and those that are part of all took part in the step. A sum that a codec rounds does not tell: if a peer is lost
// during such a sum alone, the next step finds that.
type exchange struct {
	*team
	weight  float32              // the number of examples of this peer
	part    float32              // the same as a fraction of the examples of all peers
	added   []bool               // by gradient: it is in a bucket
	sent    int                  // the number of buckets that are sent
	last    *bucket              // nil if the step has failed on this peer
	lanes   [Lanes]chan struct{} // by lane: closed when its latest bucket is summed
	running sync.WaitGroup       // the sums that run

	mu     sync.Mutex
	err    error     // of the first sum that failed
	active int       // the number of sums that run
	since  time.Time // when the first of these began
	summed time.Duration
}

// cost is the time that the sums of a step took, and how long the step only waited for them.
type cost struct{ summed, waited time.Duration }

// bucket holds gradients that are summed together, followed by numbers: the count of examples in the sum and the peers
// that are part of it, as buckets of one step may be summed by different peers. A bucket that is sent with a codec has no
// numbers: each peer contributes its part of the mean, so the part of a lost peer is missing in that step.
type bucket struct {
	vars    []model.Variable
	bytes   int
	rounded bool // sent with the team's codec
	lane    int
	numbers []float32
}

// exchange begins the exchange of a step in which this peer has n of all examples.
func (m *team) exchange(n, of int) *exchange {
	e := &exchange{team: m, weight: float32(n), part: float32(n) / float32(of), added: make([]bool, len(m.gradients))}
	for i := range e.lanes {
		e.lanes[i] = make(chan struct{})
		close(e.lanes[i])
	}
	return e
}

// run sums a bucket after the previous one of its lane.
func (e *exchange) run(b *bucket, before <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	<-before
	e.sum(b)
}

// sum sums a bucket unless a sum has failed.
func (e *exchange) sum(b *bucket) {
	if e.begin() {
		e.end(e.average(b))
	}
}

// begin records the begin of a sum. It reports false if another sum has failed.
func (e *exchange) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return false
	}
	if e.active++; e.active == 1 {
		e.since = time.Now()
	}
	return true
}

func (e *exchange) end(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
	if e.active--; e.active == 0 {
		e.summed += time.Since(e.since)
	}
}

// ready adds gradient i, which is complete, to the present bucket, and sends the bucket if it is full.
func (e *exchange) ready(i int) {
	e.added[i] = true
	b := e.bucket()
	b.add(e.gradients[i])
	if b.bytes >= e.bucketBytes {
		e.sendGradients(b)
	}
}

// bucket returns the bucket that is being filled. Buckets are reused in each step.
func (e *exchange) bucket() *bucket {
	if e.sent == len(e.buckets) {
		e.buckets = append(e.buckets, &bucket{})
	}
	return e.buckets[e.sent]
}

// sendGradients sends a bucket that holds only gradients.
func (e *exchange) sendGradients(b *bucket) {
	e.describe(b)
	b.rounded = e.codec != collective.Exact
	e.send(b)
}

// describe sets the numbers of a bucket to those of this peer.
func (e *exchange) describe(b *bucket) {
	b.numbers = append(b.numbers[:0], make([]float32, scalars+e.Size())...)
	b.numbers[weightAt], b.numbers[scalars+e.Rank()] = e.weight, 1
}

func (e *exchange) send(b *bucket) {
	b.lane = e.sent % Lanes
	e.sent++
	before, done := e.lanes[b.lane], make(chan struct{})
	e.lanes[b.lane] = done
	e.running.Go(func() { e.run(b, before, done) })
}

// rest sends what is not sent yet: the other gradients, and in the last bucket the statistics and the numbers that
// describe this peer. The last bucket is sent exactly, without a codec, and holds the other gradients, too, if they are.
func (e *exchange) rest(loss float64) {
	b := e.bucket()
	for i, v := range e.gradients {
		if !e.added[i] {
			b.add(v)
		}
	}
	if len(b.vars) > 0 && e.codec != collective.Exact {
		e.sendGradients(b)
		b = e.bucket()
	}
	for _, v := range e.statistics {
		b.add(v)
	}
	e.describe(b)
	b.rounded, b.numbers[lossAt] = false, float32(loss)*e.weight
	if e.shouldStop() {
		b.numbers[stopsAt] = 1
	}
	e.last = b
	e.send(b)
}

// wait waits for all sums and empties the buckets. It returns the numbers of the last bucket, in which only peers are
// left that are part of all sums, or the error of a sum.
func (e *exchange) wait() (numbers []float32, err error) {
	start := time.Now()
	e.running.Wait()
	if e.last != nil {
		numbers = e.last.numbers
		for _, b := range e.buckets[:e.sent] {
			if !b.rounded {
				keepLeast(numbers[scalars:], b.numbers[scalars:])
			}
		}
	}
	e.cost = cost{e.summed, time.Since(start)}
	for _, b := range e.buckets {
		b.vars, b.bytes = b.vars[:0], 0
	}
	return numbers, e.err
}

// keepLeast sets each element of x to the least of that and of y.
func keepLeast(x, y []float32) {
	for i, v := range y {
		x[i] = min(x[i], v)
	}
}

func (b *bucket) add(v model.Variable) {
	b.vars = append(b.vars, v)
	b.bytes += 4 * v.Value.Len()
}

// average sets the variables of a bucket to their means over the examples of all peers, and the numbers to
// their sums. This peer's variables are weighted by its number of examples.
func (e *exchange) average(b *bucket) error {
	if b.rounded {
		return e.SumAs(e.codec, b.lane, Addend{b.bytes / 4, func(x []float32) { b.load(x, e.part) }, func(sum []float32) { b.store(sum, 1) }})
	}
	n := b.bytes / 4
	return e.SumAs(collective.Exact, b.lane, Addend{n + len(b.numbers), func(x []float32) {
		b.load(x, e.weight)
		copy(x[n:], b.numbers)
	}, func(sum []float32) {
		copy(b.numbers, sum[n:])
		b.store(sum, 1/b.numbers[weightAt])
	}})
}

// load sets x to the variables times a factor. It may be longer.
func (b *bucket) load(x []float32, by float32) {
	for _, v := range b.vars {
		n := v.Value.Len()
		cpu.VecMulS32(x[:n], tensor.Data[float32](v.Value), by)
		x = x[n:]
	}
}

// store sets the variables to x times a factor. It may be longer.
func (b *bucket) store(x []float32, by float32) {
	for _, v := range b.vars {
		n := v.Value.Len()
		cpu.VecMulS32(tensor.Data[float32](v.Value), x[:n], by)
		x = x[n:]
	}
}

package container

import (
	"hash/maphash"
	"math/bits"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Table finds values by their keys, with open addressing and linear probing. It
// is empty as its zero value, allocates only when it grows, and is never walked:
// what a Node does must not depend on where a key stands.
//
// Invariant: the number of rows is a power of two, and a quarter of them are free.
// No free row stands between the row that a key's hash names, its home, and the
// key, nor does a key that is nearer to its home than this one would be there.
type Table[K comparable, V any] struct {
	rows []row[K, V]
	n    int
}

// Len returns how many keys there are.
func (t *Table[K, V]) Len() int { return t.n }

type row[K comparable, V any] struct {
	hash  uint64 // 0: free
	key   K
	value V
}

// find returns where a key stands, or a free row if it is not there.
func (t *Table[K, V]) find(hash uint64, key K) int {
	mask := len(t.rows) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		if r := &t.rows[i]; r.hash == 0 || r.hash == hash && r.key == key {
			return i
		}
	}
}

// Get returns the value of a key, which is zero if it is not there.
func (t *Table[K, V]) Get(hash uint64, key K) (v V, ok bool) {
	if t.n == 0 {
		return v, false
	}
	r := &t.rows[t.find(hash, key)]
	return r.value, r.hash != 0
}

// Put sets the value of a key.
func (t *Table[K, V]) Put(hash uint64, key K, v V) {
	if 4*(t.n+1) > 3*len(t.rows) {
		t.grow()
	}
	if r := &t.rows[t.find(hash, key)]; r.hash != 0 {
		r.value = v
		return
	}
	t.n++
	t.insert(row[K, V]{hash, key, v})
}

// insert puts a row with a new key before those that are nearer to their homes.
func (t *Table[K, V]) insert(x row[K, V]) {
	mask := len(t.rows) - 1
	i := int(x.hash) & mask
	for far := 0; t.rows[i].hash != 0; i, far = (i+1)&mask, far+1 {
		if near := t.far(i); near < far {
			t.rows[i], x, far = x, t.rows[i], near
		}
	}
	t.rows[i] = x
}

// far is how far from its home the key of a row stands.
func (t *Table[K, V]) far(i int) int { return (i - int(t.rows[i].hash)) & (len(t.rows) - 1) }

func (t *Table[K, V]) grow() {
	old := t.rows
	t.rows = make([]row[K, V], max(4, 2*len(old)))
	for i := range old {
		if old[i].hash != 0 {
			t.insert(old[i])
		}
	}
}

// Remove takes a key out, and moves those behind it one row nearer to their homes,
// up to the first that is at home.
func (t *Table[K, V]) Remove(hash uint64, key K) {
	if t.n == 0 {
		return
	}
	mask := len(t.rows) - 1
	gap := t.find(hash, key)
	if t.rows[gap].hash == 0 {
		return
	}
	for i := (gap + 1) & mask; t.rows[i].hash != 0 && t.far(i) > 0; i = (i + 1) & mask {
		t.rows[gap], gap = t.rows[i], i
	}
	t.rows[gap] = row[K, V]{}
	t.n--
}

// secret makes hashes others than a peer could prepare for. It differs from one
// process to the next, and nothing else does because of it.
var secret = maphash.Bytes(maphash.MakeSeed(), nil)

// Hash hashes two words. It is never 0.
func Hash(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^secret, b^secret^0x9e3779b97f4a7c15)
	return hi ^ lo | 1<<63
}

// HashInRow hashes numbers of which many in a row are there at a time: each 64 of
// them stand beside each other, so that none of the latest 64 is in another's way.
func HashInRow(x uint64) uint64 { return Hash(x>>6, 1)&^63 | x&63 }

// HashEdge hashes the name of an edge.
func HashEdge(e wire.EdgeID) uint64 { return Hash(uint64(e), 0) }

// HashPeer hashes the name of a peer.
func HashPeer(id wire.PeerID) uint64 {
	a, b, c, d := id.Words()
	return Hash(Hash(a, b), Hash(c, d))
}

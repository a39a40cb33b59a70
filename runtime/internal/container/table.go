package container

import (
	"hash/maphash"
	"math/bits"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Table is a hash table with open addressing and linear probing. Its zero value is empty. It allocates only
// when it grows, and cannot be iterated: the behavior of a Node must not depend on the order of keys.
//
// Invariant: the number of rows is a power of two, and a quarter of them are free. Between the row that a key's
// hash names, its home, and the key there is no free row, and no key that is nearer to its home than this key
// would be in that row.
type Table[K comparable, V any] struct {
	rows []row[K, V]
	n    int
}

// Len returns the number of keys.
func (t *Table[K, V]) Len() int { return t.n }

type row[K comparable, V any] struct {
	hash  uint64 // 0: free
	key   K
	value V
}

// find returns the index of a key, or that of a free row if the key is absent.
func (t *Table[K, V]) find(hash uint64, key K) int {
	mask := len(t.rows) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		if r := &t.rows[i]; r.hash == 0 || r.hash == hash && r.key == key {
			return i
		}
	}
}

// Get returns the value of a key. It is zero if the key is absent.
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

// insert inserts a row with a new key before rows that are nearer to their homes.
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

// far returns the distance of a row's key from its home.
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

// Remove removes a key, and moves the following keys one row nearer to their homes, up to the first key that is
// at home.
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

// secret makes hashes unpredictable for peers. It differs from one process to the next, and only hashes depend
// on it.
var secret = maphash.Bytes(maphash.MakeSeed(), nil)

// Hash hashes two words. It is never 0.
func Hash(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^secret, b^secret^0x9e3779b97f4a7c15)
	return hi ^ lo | 1<<63
}

// HashInRow hashes numbers of which many consecutive ones are present at a time: each 64 of them are adjacent,
// so that none of the latest 64 collide.
func HashInRow(x uint64) uint64 { return Hash(x>>6, 1)&^63 | x&63 }

// HashEdge hashes the name of an edge.
func HashEdge(e wire.EdgeID) uint64 { return Hash(uint64(e), 0) }

// HashPeer hashes the name of a peer.
func HashPeer(id wire.PeerID) uint64 {
	a, b, c, d := id.Words()
	return Hash(Hash(a, b), Hash(c, d))
}

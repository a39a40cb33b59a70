package kademlia

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

var errState = errors.New("more values or lookups than a table has")

// AppendBinary appends the known peers, the values, the results, and the lookups in progress, which begin again when
// they are read.
func (t *Table) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(values.AppendScalar(b, t.begun), int64(t.now))
	b = values.AppendScalar(b, t.number)
	b = appendKey(b, t.table.self)
	b = values.AppendPeers(b, t.table.all())
	b = values.AppendScalar(b, int64(len(t.stored.list)))
	for _, r := range t.stored.list {
		b = values.AppendPeer(appendKey(b, r.key), r.from)
		b = values.AppendScalar(appendValue(b, r.value), int64(r.until))
	}
	b = values.AppendScalar(b, int64(len(t.lookups)))
	for _, l := range t.lookups {
		b = appendValue(appendKey(append(b, byte(l.kind)), l.key), l.value)
	}
	b = values.AppendScalar(b, int64(len(t.results)))
	for _, r := range t.results {
		b = values.AppendPeers(appendValue(appendKey(b, r.key), r.value), r.peers)
	}
	return b, nil
}

func appendValue(b, value []byte) []byte {
	return values.AppendDense(b, tensor.DenseOf(value, len(value)))
}

// UnmarshalBinary reads the output of AppendBinary.
func (t *Table) UnmarshalBinary(b []byte) error {
	x := Table{K: t.K}
	x.table.k = t.k()
	f := values.NewFields(b)
	var now int64
	values.ReadScalar(f, &x.begun)
	values.ReadScalar(f, &now)
	values.ReadScalar(f, &x.number)
	readKey(f, &x.table.self)
	var known []wire.PeerID
	f.Peers(&known)
	x.now = int(now)
	for _, p := range known {
		x.table.heard(p)
	}
	if err := x.readStored(f); err != nil {
		return err
	}
	if err := x.readLookups(f); err != nil {
		return err
	}
	if err := f.End(); err != nil {
		return err
	}
	t.table, t.begun, t.now, t.number = x.table, x.begun, x.now, x.number
	t.stored.list, t.lookups, t.results = x.stored.list, x.lookups, x.results
	return nil
}

// count reads how many of something follow.
func count(f *values.Fields, most int) (int, error) {
	var n int64
	values.ReadScalar(f, &n)
	if n < 0 || n > int64(most) {
		return 0, errState
	}
	return int(n), nil
}

func (t *Table) readStored(f *values.Fields) error {
	n, err := count(f, 1<<20)
	for i := 0; i < n && err == nil && f.Err() == nil; i++ {
		var r record
		var until int64
		readKey(f, &r.key)
		f.Peer(&r.from)
		r.value, err = readValue(f)
		values.ReadScalar(f, &until)
		r.until = int(until)
		t.stored.list = append(t.stored.list, r)
	}
	return err
}

func (t *Table) readLookups(f *values.Fields) error {
	n, err := count(f, maxLookups)
	for i := 0; i < n && err == nil; i++ {
		var what uint8
		l := &lookup{number: t.number + 1}
		t.number++
		values.ReadScalar(f, &what)
		readKey(f, &l.key)
		if l.value, err = readValue(f); err == nil && kind(what) >= kinds {
			err = errState
		}
		l.kind = kind(what)
		t.lookups = append(t.lookups, l)
	}
	if err != nil {
		return err
	}
	n, err = count(f, maxResults)
	for i := 0; i < n && err == nil; i++ {
		var r result
		readKey(f, &r.key)
		r.value, err = readValue(f)
		f.Peers(&r.peers)
		t.results = append(t.results, r)
	}
	return err
}

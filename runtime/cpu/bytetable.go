package cpu

// ByteTable is
//
//	for i, v := range x {
//		dst[i] = table[uint8(v)]
//	}
func ByteTable[D, S int8 | uint8](dst []D, x []S, table []D) {
	to, from, all := asBytes(dst), asBytes(x[:len(dst)]), (*[256]byte)(asBytes(table))
	if len(dst) < vecLong {
		byteTable(to, from, all)
		return
	}
	t := byteLookups.get()
	*t = byteLookup{dst: to, x: from, table: all}
	parallel((len(dst)+vecTurn-1)/vecTurn, len(dst)/byteTableSpeed(), t)
	*t = byteLookup{}
	byteLookups.put(t)
}

var byteLookups freelist[byteLookup]

// byteLookup is the task of ByteTable. A turn is a run of elements.
type byteLookup struct {
	dst, x []byte
	table  *[256]byte
}

func (t *byteLookup) run(i int) {
	lo, hi := i*vecTurn, min((i+1)*vecTurn, len(t.dst))
	byteTable(t.dst[lo:hi], t.x[lo:hi], t.table)
}

// byteTableGo is [ByteTable] of bytes.
func byteTableGo(dst, x []byte, table *[256]byte) {
	for i, v := range x[:len(dst)] {
		dst[i] = table[v]
	}
}

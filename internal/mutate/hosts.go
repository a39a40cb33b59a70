package main

const (
	disk         Watch = "runtime/host/disk"
	peer         Watch = "runtime/host/peer"
	spool        Watch = peer + "/internal/spool"
	connection   Watch = peer + "/internal/connection"
	conversation Watch = peer + "/internal/conversation"
	trust        Watch = peer + "/trust"
	state        Watch = peer + "/internal/state"
	wire         Watch = "runtime/wire"
)

// hosts is the mutants of packages that hosts of peers use.
var hosts = []Mutant{
	// Files.
	{"a file is not synced", "runtime/host/disk/write.go", `err = f.Sync()`, `err = error(nil)`, disk},
	{"a folder is not synced", "runtime/host/disk/write.go", `return d.SyncDir(filepath.Dir(file))`, `_ = filepath.Dir; return nil`, disk},
	{"a snapshot is written in place", "runtime/host/peer/internal/state/snapshot.go", `temp, err := disk.Prepare(s.disk, file, 0o600, x.head(), x.Bytes)`,
		`temp := file; f, err := s.disk.OpenFile(file, 0o1101, 0o600); if err == nil { f.Write(x.head()); f.Write(x.Bytes); f.Sync(); f.Close() }`, state},
	{"values are not synced", "runtime/host/peer/internal/spool/spool.go", `err := v.f.Sync()`, `err := func() error { _ = v; return nil }()`, spool},
	{"a value is not written again if that has failed once", "runtime/host/peer/internal/spool/spool.go", `v.unsure = true`, ``, spool},
	{"a snapshot does not wait for what it names", "runtime/host/peer/internal/spool/spool.go", `if err := v.write(); err != nil {`, `if err := error(nil); v.f == nil { continue } else if err != nil {`, spool},
	{"what is not written leaves the memory", "runtime/host/peer/internal/spool/unwritten.go", "\tif err == nil {\n\t\tv.forgetData()", "\tif true {\n\t\tv.forgetData()", spool},
	{"the folder of values is not synced", "runtime/host/peer/internal/spool/spool.go", `if err := s.disk.SyncDir(s.dir); err != nil {`, `if err := error(nil); err != nil {`, spool},
	{"a snapshot's file is not checked", "runtime/host/peer/internal/state/snapshot.go", `if !bytes.HasPrefix(b, x.head()) {`, `if !bytes.HasPrefix(b, x.head()[:1]) {`, state},
	{"a value's sum is not checked", "runtime/host/peer/internal/spool/spool.go", `if w.crc != v.crc {`, `if false {`, spool},
	{"sealed files are not checked", "runtime/host/peer/internal/state/sealed.go", `got != s.CRC {`, `got == "" {`, state},

	// Bulk.
	{"chunks in a file are not checked", "runtime/host/peer/internal/conversation/sink.go", `case k.w.CRC() != k.bulk.CRC:`, `case false:`, conversation},
	{"chunks in memory are not checked", "runtime/wire/assembly.go", `if a.crc != a.bulk.CRC {`, `if false {`, wire},
	{"a gap between chunks is not seen", "runtime/wire/assembly.go", `case c.Offset > have:`, `case false:`, wire},
	{"bulk is resumed at a wrong offset", "runtime/host/peer/internal/conversation/sender.go", `at: a.Offset, until: a.Offset}`, `at: 0, until: a.Offset}`, conversation},
	{"what came before a reconnect is written twice", "runtime/host/peer/internal/conversation/sink.go", `skip := k.offset() - c.Offset`, `skip := 0 * c.Offset`, conversation},

	{"a payload that was to be requested while it was read is not", "runtime/host/peer/internal/conversation/inbound.go", `err != nil || t.asked`, `err != nil`, conversation},
	{"payloads stay when their writer has failed", "runtime/host/peer/internal/conversation/queue.go", "q.ended = true\n\tq.out.release()", `q.ended = true`, conversation},

	// Shares.
	{"a peer may have all files", "runtime/host/peer/internal/spool/share.go", `inFairShare(uint64(own.files), 1, uint64(used.files), uint64(r.files))`, `used.files < r.files`, spool},

	// Floods.
	{"pings are answered at any rate", "runtime/host/peer/internal/conversation/bucket.go", `if b.tokens < 1 {`, `if false {`, connection},
	{"what nobody can use is read at any rate", "runtime/host/peer/internal/conversation/waste.go", `return w.n.Load() > wasteAllowed`, `return false && w.n.Load() > wasteAllowed`, "runtime/host/tcp"},
	{"each acknowledgement is written alone", "runtime/host/peer/internal/conversation/queue.go", `due := q.ackAt.Add(pause)`, `due := q.ackAt`, conversation},
	{"acknowledgements of few messages wait no longer than those of many", "runtime/host/peer/internal/conversation/queue.go", `pause *= fewPauses`, `pause *= 1`, conversation},
	{"who floods may come again at once", "runtime/host/peer/connect.go", `if errors.Is(err, ErrFlood) {`, `if false {`, peer},

	// Parallel connections.
	{"a parallel connection belongs to any conversation", "runtime/host/peer/internal/connection/parallel.go", `c.conversation == 0 || theirs.Conversation != c.conversation:`, `c.conversation == 0:`, connection},
	{"parallel connections use up the descriptors", "runtime/host/peer/parallelopen.go", `if h.offers() < 1 {`, `if false {`, peer},
	{"received values open no parallel connections", "runtime/host/peer/internal/connection/conn.go", `c.large.Add(int64(size))`, ``, connection},
	{"values of parallel connections overtake each other", "runtime/host/peer/internal/connection/conn.go", `err = elsewhere.pass()`, `go elsewhere.pass()`, connection},

	// Joining.
	{"an invitation is replayed", "runtime/host/peer/trust/invite.go", `case slices.ContainsFunc(m.List(),`, `case len(name) == 0 && slices.ContainsFunc(m.List(),`, trust},
	{"an invitation never expires", "runtime/host/peer/trust/invite.go", `case now.After(inv.Expires):`, `case false:`, trust},
	{"an invitation needs no proof", "runtime/host/peer/trust/invite.go", `case !hmac.Equal(hello.JoinProof,`, `case len(name) == 0 && !hmac.Equal(hello.JoinProof,`, trust},
	{"an invitation is for any class", "runtime/host/peer/trust/invite.go", `case !classes.Is(classes.Join(hello.Classes...), inv.Class):`, `case false:`, trust},
}

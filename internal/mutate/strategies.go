package main

// strategies is the mutants of gossip and selections of peers, of values of an author's types, of bootstraps,
// and of the components of federations.
var strategies = []Mutant{
	{"a named peer may be of any class", "runtime/send.go", `e.To != "" && !classes.Is(p.Class, e.To)`, `e.To == "nobody" && !classes.Is(p.Class, e.To)`, "runtime"},
	{"a value of the program's own type may be of any size", "runtime/values/own.go", `if n := len(out) - len(b); n > most {`, `if n := len(out) - len(b); n > most && false {`, "runtime/values"},
	{"what an own type panics at ends the peer", "runtime/values/own.go", "func readOwn[T any, P OwnType[T]](x *Own[T], b []byte) (err error) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {",
		"func readOwn[T any, P OwnType[T]](x *Own[T], b []byte) (err error) {\n\tdefer func() {\n\t\tif r := any(nil); r != nil {", "runtime/values"},
	{"what a bootstrap was given is not known after a restart", "runtime/boot.go", "\t\tn.booted(f.module.index)\n", "\t\t_ = f.module\n", "runtime"},
	{"anything may be invoked before the bootstrap", "runtime/boot.go", `slices.Contains(n.unbooted, module)`, `true`, "runtime"},
	{"the same noise is drawn twice", "runtime/component/dp/source.go", "\ts.drawn++\n", "", "runtime/component/dp"},
	{"a token that was replaced walks on", "runtime/component/walk/walk.go", `if w.latest.after(t.stamp) {`, `if false {`, "runtime/component/walk"},
	{"a lost token is not replaced", "runtime/component/walk/walk.go", `if w.waited > w.patience() {`, `if false {`, "runtime/component/walk"},
	{"the copy of a token is forgotten when it has arrived", "runtime/component/walk/walk.go", `w.arrived, w.waited = true, 0`, `w.passed = nil`, "runtime/component/walk"},
	{"the holder of a token does not hear of a later one", "runtime/component/walk/walk.go", `w.latest, w.silent, w.held = s, 0, nil`, `w.latest, w.silent = s, 0`, "runtime/component/walk"},
	{"peers that are only named come into the table", "runtime/component/kademlia/kademlia.go", "\t\t\tl.add(p, t.k())\n\t\t}\n\t}\n}", "\t\t\tl.add(p, t.k())\n\t\t\tt.table.heard(p)\n\t\t}\n\t}\n}", "runtime/component/kademlia"},
	{"one peer's value is believed", "runtime/component/kademlia/lookup.go", `if n >= enough {`, `if n >= 1 {`, "runtime/component/kademlia"},
	{"values never expire", "runtime/component/kademlia/store.go", `return r.until < now`, `return false`, "runtime/component/kademlia"},
	{"one peer may fill the values of another", "runtime/component/kademlia/store.go", `own >= s.each || `, ``, "runtime/component/kademlia"},
	{"a silent peer keeps its place", "runtime/component/kademlia/table.go", `len(b.spare) == 0 && b.live[i].failures < maxFailures`, `b.live[i].failures < maxFailures`, "runtime/component/kademlia"},
	{"gossip gives away more than it loses", "runtime/component/gossip/pushsum.go", "return share{s.epoch, s.weight, slices.Clone(s.sum)}", "return share{s.epoch, 2 * s.weight, slices.Clone(s.sum)}", "runtime/component/gossip"},
	{"a contribution weighs nothing in fairness", "runtime/component/qfedavg/qfedavg.go", `math.Pow(f, a.Q) * l`, `l`, "runtime/component/qfedavg"},
	{"Krum takes the contributions that are farthest off", "runtime/component/robust/krum/krum.go", `return cmp.Compare(scores[i], scores[j])`, `return cmp.Compare(scores[j], scores[i])`, "runtime/component/robust/krum"},
	{"a change that is too long is not clipped", "runtime/component/dp/local.go", `length > l.Clip {`, `length > 2*l.Clip {`, "runtime/component/dp"},
}

// Package registry is how peers of a program find each other. Peers of one class
// keep a list of who is there: others tell them so, again and again, each time
// for a while, and are told of the peers of the classes that they want.
//
// [Server] and [Client] are the two ends of one protocol, [View] chooses among
// the peers that a client knows:
//
//	func (r Registry) Body(g *dsl.Graph) { r.List.Serve(g, "here", "worker") }
//
//	func (w Worker) Body(g *dsl.Graph) {
//		w.Directory.Ask(g, "here", "registry", 30*time.Second)
//		g.NetOut("news", w.Others.Sample(g, 3), …)
//	}
//
// Nobody can speak for another peer: who is there, and of which class, is what
// the channel has proven and what the registry has admitted, never what a
// message says. A peer tells its own addresses alone, and those of others are
// taken from peers of the registry's class alone. They are not signed: whom one dials
// has to prove that it is the peer that was looked for, so that a lie costs a dial, and
// nobody's word takes the place of an address that the configuration has.
package registry

// Lays graphs out beside the page.
import { layout } from './layout.js';

onmessage = ({ data }) => {
  const out = layout(data);
  postMessage({ id: data.id, ...out }, [out.x, out.y, out.w, out.h, out.start, out.points].map((a) => a.buffer));
};

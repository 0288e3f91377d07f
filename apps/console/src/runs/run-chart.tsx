import { exactTime } from '../controls/time-words';
import { barsOf, failedIn, summaryOf, totalOf, type Bar, type Histogram } from './run-chart-bars';
import styles from './runs-page.module.css';
import { words } from './words';

const HEIGHT = 48;
/** A few bars would otherwise be as wide as the page. */
const WIDEST_BAR = 32;
const LEAST_WIDTH = 320;
/** Of the place of a bar, what the bar takes. */
const BAR_WIDTH = 0.8;

/** How many runs there were over time, by what became of them. What a picture cannot tell is in its name. */
export function RunChart({ histogram }: { histogram: Histogram }) {
  const { data: buckets } = histogram;
  const summary = summaryOf(histogram);
  if (!summary) return null;
  return (
    <figure className={styles['chart']} style={{ maxWidth: Math.max(LEAST_WIDTH, buckets.length * WIDEST_BAR) }}>
      <svg
        role="img"
        aria-label={words.chart(summary)}
        viewBox={`0 0 ${buckets.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={styles['bars']}
      >
        {barsOf(buckets, HEIGHT).map((bar, n) => (
          <ChartBar key={bar.bucket.start} bar={bar} x={n} isEstimate={summary.isEstimate} />
        ))}
      </svg>
      <figcaption className={styles['chartEnds']}>
        <span>{exactTime(summary.from)}</span>
        {summary.isEstimate && <span>{words.estimate}</span>}
        <span>{exactTime(summary.to)}</span>
      </figcaption>
    </figure>
  );
}

interface ChartBarProps {
  bar: Bar;
  x: number;
  isEstimate: boolean;
}

const ChartBar = ({ bar: { bucket, parts }, x, isEstimate }: ChartBarProps) => (
  <g>
    <title>{words.bar(bucket.start, totalOf(bucket), failedIn(bucket), isEstimate)}</title>
    <rect x={x} y={0} width={1} height={HEIGHT} className={styles['place']} />
    {parts.map(({ tone, y, height }) => (
      <rect key={tone} x={x + (1 - BAR_WIDTH) / 2} y={y} width={BAR_WIDTH} height={height} className={styles[tone]} />
    ))}
  </g>
);
